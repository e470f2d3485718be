// Calls every function of gradmote.hpp: calls CLASSIFIER STORE TABLE NARROW FOLDER. The first, second and fourth are images,
// the third the export table of the second. It writes to FOLDER a trained model and its checkpoint.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gradmote.hpp"

using gradmote::Arena;
using gradmote::Session;
using gradmote::Status;
using Bytes = std::vector<uint8_t>;

static int passed;

static void check(bool holds, const char *what, int line)
{
    if (!holds) {
        std::fprintf(stderr, "line %d does not hold: %s\n", line, what);
        std::exit(1);
    }
    ++passed;
}

#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)
#define REFUSED(error, ...) check((__VA_ARGS__).code() == (error), #error ": " #__VA_ARGS__, __LINE__)

// A file in aligned memory, and its size.
struct File {
    explicit File(const char *path)
    {
        std::ifstream stream(path, std::ios::binary);
        Bytes bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        size = bytes.size();
        blocks.resize(size / 16 + 1);
        memcpy(blocks.data(), bytes.data(), size);
    }
    const uint8_t *data() const { return blocks.data()->bytes; }
    std::vector<Arena<16>> blocks;
    size_t size;
};

// A session in memory from the heap, filled with NaN.
struct Opened {
    explicit Opened(const File &image)
    {
        gm_requirements needs;
        CHECK(gradmote::required(image.data(), image.size, &needs));
        arena.resize(needs.arena_size / 16 + 1);
        memset(arena.data(), 0xff, arena.size() * 16);
        CHECK(gradmote::verify_image(image.data(), image.size, needs.arena_size));
        CHECK(session.open(image.data(), image.size, arena.data(), arena.size() * 16));
    }
    std::vector<Arena<16>> arena;
    Session session;
};

static const float pixels[] = {1.0f, -2.0f, 0.5f, 0.25f, 3.0f, -1.0f};
static const int32_t labels[] = {2, 0};

static void write_batch(Session &session)
{
    CHECK(session.write(GM_ROLE_INPUT, 0, pixels));
    CHECK(session.write(GM_ROLE_LABEL, 0, labels));
}

static void typed_data(const File &classifier, const File &narrow)
{
    Opened opened(classifier), of_integers(narrow);
    Session &session = opened.session;
    const double doubles[] = {1.0};
    REFUSED(gradmote::wrong_dtype, session.write(GM_ROLE_INPUT, 0, labels));
    REFUSED(gradmote::wrong_dtype, session.write(GM_ROLE_LABEL, 0, pixels));
    REFUSED(GM_ERR_WRONG_SIZE, session.write(GM_ROLE_INPUT, 0, pixels, 5));
    REFUSED(GM_ERR_NOT_FOUND, session.write(GM_ROLE_INPUT, 1, pixels));
    REFUSED(GM_ERR_WRONG_SIZE, session.write_bytes(GM_ROLE_INPUT, 0, doubles, sizeof doubles));
    REFUSED(GM_ERR_INVALID_ARGUMENT, Session().write(GM_ROLE_INPUT, 0, pixels));
    CHECK(session.write_bytes(GM_ROLE_INPUT, 0, pixels, sizeof pixels));
    CHECK(session.write(GM_ROLE_LABEL, 0, labels, 2));
    CHECK(session.infer());
    float scores[8];
    int32_t integers[8];
    CHECK(session.read(GM_ROLE_OUTPUT, 0, scores, 8));
    CHECK(memcmp(scores, session.output().data(), sizeof scores) == 0);
    REFUSED(gradmote::wrong_dtype, session.read(GM_ROLE_OUTPUT, 0, integers, 8));
    REFUSED(GM_ERR_WRONG_SIZE, session.read(GM_ROLE_OUTPUT, 0, scores, 7));
    REFUSED(GM_ERR_NOT_FOUND, session.read(GM_ROLE_OUTPUT, 1, scores, 8));
    CHECK(session.output<int8_t>().empty() && session.output(7).empty());
    const int8_t codes[] = {-128, -1, 0, 1, 2, 127};
    int8_t answer[5];
    CHECK(of_integers.session.write(GM_ROLE_INPUT, 0, codes));
    REFUSED(gradmote::wrong_dtype, of_integers.session.write(GM_ROLE_INPUT, 0, pixels));
    CHECK(of_integers.session.infer());
    CHECK(of_integers.session.read(GM_ROLE_OUTPUT, 0, answer, 5));
    CHECK(of_integers.session.output<int8_t>().size() == 5 && of_integers.session.output<uint8_t>().empty());
    CHECK(of_integers.session.parameter_at<int8_t>(0).size() == 30 && of_integers.session.parameter_at(0).empty());
#if defined(__cpp_lib_span)
    std::vector<float> vector(pixels, pixels + 6);
    CHECK(session.write(GM_ROLE_INPUT, 0, std::span(vector)));
    CHECK(session.write(GM_ROLE_INPUT, 0, std::span<const float, 6>(pixels)));
    REFUSED(GM_ERR_WRONG_SIZE, session.write(GM_ROLE_INPUT, 0, std::span(vector).first(5)));
    CHECK(session.read(GM_ROLE_OUTPUT, 0, std::span(scores)));
    std::span<const float> same = session.output();
    std::span<float> weights = session.parameter("w");
    CHECK(same.size() == 8 && weights.size() == 12);
#endif
}

static void running(const File &classifier)
{
    Opened opened(classifier), other(classifier);
    Session &session = opened.session;
    float loss, again, sum;
    write_batch(session);
    write_batch(other.session);
    CHECK(session.evaluate(&loss) && session.train_step(&again) && loss == again);
    CHECK(session.loss(GM_PROGRAM_TRAIN, &sum) && sum == loss);
    CHECK(session.gradient(0).size() == 12 && session.gradient(1).empty());
    CHECK(session.optimizer_step() && session.lazy_reset_grad());
    REFUSED(GM_ERR_NO_GRADIENTS, session.optimizer_step());
    CHECK(other.session.step(&again) && again == loss);
    CHECK(memcmp(session.parameter("w").data(), other.session.parameter_at(0).data(), 48) == 0);
    CHECK(session.train_step() && session.train_step() && session.optimizer_step_on_sum());
    CHECK(session.control()->optimizer_steps == 2 && session.control()->train_steps == 3);
    CHECK(session.begin(GM_PROGRAM_TRAIN) && session.run(1).again());
    REFUSED(GM_ERR_BUSY, session.reset());
    session.abort();
    uint32_t label;
    float score;
    gm_view view;
    CHECK(session.infer() && session.classify(1, &label, &score) && score == session.output()[4 + label]);
    CHECK(session.class_name(0) == nullptr);
    CHECK(session.tensor_view(GM_PROGRAM_INFER, GM_ROLE_OUTPUT, 0, &view) && view.rank == 2);
    CHECK(session.write_rows(GM_ROLE_INPUT, 0, pixels, 3) && session.write_rows_bytes(GM_ROLE_LABEL, 0, labels, 4));
    REFUSED(gradmote::wrong_dtype, session.write_rows(GM_ROLE_INPUT, 0, labels, 1));
    REFUSED(GM_ERR_WRONG_SIZE, session.write_rows(GM_ROLE_INPUT, 0, pixels, 2));
    REFUSED(GM_ERR_INVALID_ARGUMENT, session.run_rows(GM_PROGRAM_EVAL, 3, &loss));
    CHECK(session.run_rows(GM_PROGRAM_EVAL, 1, &loss) && session.evaluate(&again) && again == loss);
    CHECK(session.begin_rows(GM_PROGRAM_INFER, 1) && session.run(100));
#if GM_THREADS
    CHECK(session.set_splitter(nullptr, opened.arena.size() * 16));
#endif
    session.close();
    REFUSED(GM_ERR_INVALID_ARGUMENT, session.infer());
}

static void state(const File &classifier)
{
    Opened opened(classifier);
    Session &session = opened.session;
    CHECK(session.set_linear_schedule(0.5f, 2, 4) && session.learning_rate() == 0.0f);
    CHECK(session.control()->schedule == GM_SCHEDULE_LINEAR);
    CHECK(session.set_learning_rate(0.125f) && session.learning_rate() == 0.125f && session.set_seed(7));
    CHECK(session.control()->schedule == GM_SCHEDULE_CONSTANT && session.control()->seed == 7);
    REFUSED(GM_ERR_INVALID_ARGUMENT, session.set_learning_rate(NAN));
    gm_view view;
    float delta[12], numbers[12] = {1, 2, 3};
    CHECK(session.parameter_count() == 1 && session.parameters(&view) && view.size == sizeof numbers);
    CHECK(session.set_parameters(numbers, sizeof numbers) && session.parameter("w")[2] == 3.0f);
    CHECK(session.delta(delta, sizeof delta) && delta[0] == 0.5f && session.reset());
    CHECK(session.apply_delta(delta, sizeof delta) && session.parameter("w")[0] == 1.0f);
    CHECK(session.parameter("w", &view) && session.parameter_at(0, &view) && session.state(&view) && view.rank == 0);
    CHECK(session.parameter("no such").empty());

    int32_t best;
    float rate;
    gm_property property;
    CHECK(session.set_property("best", 97) && session.set_property("rate", 0.5f));
    CHECK(session.property("best", &best) && best == 97 && session.property("rate", &rate) && rate == 0.5f);
    REFUSED(gradmote::wrong_dtype, session.property("best", &rate));
    REFUSED(GM_ERR_FULL, session.set_property("third", 1));
    CHECK(session.property("best", &property) && property.type == GM_PROPERTY_TYPE_I32);
    CHECK(session.property_at(1, &property) && session.remove_property("rate"));
    REFUSED(GM_ERR_NOT_FOUND, session.property_at(1, &property));
}

static void checkpoints(const File &classifier)
{
    Opened opened(classifier), other(classifier);
    Session &session = opened.session;
    write_batch(session);
    CHECK(session.step());
    Bytes file(session.checkpoint_size()), half(session.checkpoint_half_size()), part(half.size());
    uint32_t last = 1, carried;
    CHECK(session.save_to(file.data(), file.size()));
    REFUSED(GM_ERR_IO, session.save_to(file.data(), file.size() - 1));
    CHECK(session.save([&](uint32_t offset, const void *, uint32_t) { return last = offset, 0; }) && last == 0);
    REFUSED(GM_ERR_IO, session.save([](uint32_t, const void *, uint32_t) { return 1; }));
    CHECK(session.save_half_to(half.data(), half.size()) &&
          session.save_half(gradmote::Sink{part.data(), part.size()}));
    CHECK(half == part && session.checkpoint_part_half(0, part.data(), static_cast<uint32_t>(part.size())));
    CHECK(half == part);
    gradmote::Source read{file.data(), file.size()};
    CHECK(other.session.check_checkpoint(read, file.size()) && other.session.load(read, file.size()));
    CHECK(memcmp(other.session.parameter("w").data(), session.parameter("w").data(), 48) == 0);
    Bytes begun(file.size());
    CHECK(session.save_without_optimizer(gradmote::Sink{begun.data(), begun.size()}));
    CHECK(other.session.load_from(begun.data(), begun.size()) && other.session.control()->optimizer_steps == 0);
    CHECK(memcmp(other.session.parameter("w").data(), session.parameter("w").data(), 48) == 0);
    CHECK(other.session.reset() && other.session.carry_over(read, file.size(), &carried) && carried == 2);
    CHECK(memcmp(other.session.parameter("w").data(), session.parameter("w").data(), 48) == 0);
    CHECK(other.session.load_from(half.data(), half.size()));
    REFUSED(GM_ERR_TRUNCATED, other.session.load_from(file.data(), 100));
    file[60] = static_cast<uint8_t>(file[60] ^ 1);
    REFUSED(GM_ERR_BAD_CRC, other.session.load_from(file.data(), file.size()));
}

static void rounds(const File &classifier)
{
    Opened opened(classifier), other(classifier);
    Session &session = opened.session;
    write_batch(session);
    CHECK(session.step());
    const gm_federated_round round = {nullptr, nullptr, 1, 8, 3, 0};
    std::vector<uint32_t> delta(session.round_delta_size(round) / 4 + 1);
    const uint32_t size = session.round_delta_size(round);
    CHECK(size > 48 && session.round_delta_part(round, 0, delta.data(), size));
    CHECK(other.session.round_check(round, delta.data(), size));
    Bytes file(other.session.checkpoint_size());
    CHECK(other.session.round_save(round, delta.data(), size, gradmote::Sink{file.data(), file.size()}));
    CHECK(other.session.round_apply(round, delta.data(), size));
    CHECK(session.load_from(file.data(), file.size()));
    CHECK(memcmp(other.session.parameter("w").data(), session.parameter("w").data(), 48) == 0);
}

static void store_and_export(const File &image, const File &table, const std::string &folder)
{
    Opened opened(image);
    Session &session = opened.session;
    gm_store_info info;
    gm_store_class kept;
    uint32_t count, right, rows, model_size;
    float loss, sample[64];
    CHECK(session.store_view(&info) && info.capacity == 12 && session.class_name(1)[0] == 'o');
    REFUSED(GM_ERR_STORE_EMPTY, session.replay());
    for (uint32_t label = 0; label < 4; ++label) {
        for (float &value : sample) {
            value = static_cast<float>(label) / 4.0f;
        }
        CHECK(session.write(GM_ROLE_INPUT, 0, sample) && session.learn(label));
    }
    CHECK(session.forget(3) && session.store_class_view(2, &kept) && kept.kept == 1);
    CHECK(session.replay(&loss) && loss > 0.0f);
    CHECK(session.begin_replay(GM_PROGRAM_STEP));
    while (session.run(1).again()) {
    }
    CHECK(session.score(2, &count, &right) && count == 1);
    CHECK(session.begin_recall(2, 0, &rows) && rows == 1);
    session.abort();
    gradmote::Source read{table.data(), table.size};
    CHECK(session.export_check(read, table.size, &model_size));
    Bytes model(model_size), part(model_size), file(session.checkpoint_size());
    CHECK(session.export_model(read, gradmote::Sink{model.data(), model.size()}, table.size));
    CHECK(session.export_part(read, 0, part.data(), model_size) && model == part);
    CHECK(session.save_to(file.data(), file.size()));
    std::ofstream(folder + "/trained.onnx", std::ios::binary).write(reinterpret_cast<char *>(model.data()), model_size);
    std::ofstream(folder + "/trained.gmck", std::ios::binary)
        .write(reinterpret_cast<char *>(file.data()), static_cast<std::streamsize>(file.size()));
}

#if defined(GRADMOTE_EXCEPTIONS)
static void exceptions(const File &classifier)
{
    Opened opened(classifier);
    CHECK(!gradmote::check(opened.session.begin(GM_PROGRAM_INFER)));
    while (gradmote::check(opened.session.run(1))) {
    }
    try {
        gradmote::check(opened.session.optimizer_step());
        CHECK(false);
    } catch (const gradmote::Error &error) {
        CHECK(error.status().code() == GM_ERR_NO_GRADIENTS && std::string(error.what()) == error.status().text());
    }
}
#endif

int main(int, char **arguments)
{
    const File classifier(arguments[1]), store(arguments[2]), table(arguments[3]), narrow(arguments[4]);
    CHECK(gradmote::has_opcode(1) && !gradmote::has_opcode(9999) && gradmote::has_rule(1) && !gradmote::has_rule(99));
    CHECK(gradmote::crc32(0, "123456789", 9) == 0xcbf43926u);
    typed_data(classifier, narrow);
    running(classifier);
    state(classifier);
    checkpoints(classifier);
    rounds(classifier);
    store_and_export(store, table, arguments[5]);
#if defined(GRADMOTE_EXCEPTIONS)
    exceptions(classifier);
#endif
    std::printf("%d passed\n", passed);
    std::printf("%s\n%s\n", Status(gradmote::wrong_dtype).text(), Status(gradmote::wrong_dtype).hint());
    return 0;
}
