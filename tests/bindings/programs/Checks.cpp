// Checks onnxruntime's classes with ACCUMULATING, the MLP of bindings.same_state: Checks ACCUMULATING STEPPING FOLDER.
// STEPPING is the same model without programs that accumulate. FOLDER has python.gmck, with properties that Python wrote.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "gradmote/ort_training.hpp"

using Ort::CheckpointState;
using Ort::TrainingSession;
using Ort::Value;
using Values = std::vector<Value>;
using Bytes = std::vector<uint8_t>;

static int passed;
static std::string image, stepping, folder;
static Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "checks");
static Ort::SessionOptions options;
static Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);

static void check(bool holds, const std::string &what, int line)
{
    if (!holds) {
        std::fprintf(stderr, "line %d does not hold: %s\n", line, what.c_str());
        std::exit(1);
    }
    ++passed;
}

#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)

// Checks that statements throw an Ort::Exception with this in its text.
#define REFUSED(text, ...)                                                                    \
    do {                                                                                      \
        std::string said = "nothing";                                                         \
        try {                                                                                 \
            __VA_ARGS__;                                                                      \
        } catch (const Ort::Exception &error) {                                               \
            said = error.GetOrtErrorCode() == ORT_OK ? "no code" : error.what();              \
        }                                                                                     \
        check(said.find(text) != std::string::npos, #__VA_ARGS__ " says: " + said, __LINE__); \
    } while (0)

static float pixels[64];
static int64_t label;

// The sample of bindings.same_state.
static void draw(uint32_t step)
{
    uint32_t s = step + 1;
    for (float &pixel : pixels) {
        s = s * 1664525u + 1013904223u;
        pixel = static_cast<float>(s >> 8) / 16777216.0f;
    }
    label = step * 7 % 10;
}

template <typename T> static Value tensor(T *data, std::vector<int64_t> shape)
{
    size_t elements = 1;
    for (int64_t dim : shape) {
        elements *= static_cast<size_t>(dim);
    }
    return Value::CreateTensor<T>(memory, data, elements, shape.data(), shape.size());
}

static Values sample()
{
    Values values;
    values.emplace_back(tensor(pixels, {1, 64}));
    values.emplace_back(tensor(&label, {1}));
    return values;
}

static float loss_of(const Values &values)
{
    return *values.front().GetTensorData<float>();
}

static float step(TrainingSession &session, uint32_t number)
{
    draw(number);
    const float loss = loss_of(session.TrainStep(sample()));
    session.OptimizerStep();
    session.LazyResetGrad();
    return loss;
}

static void training()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    REFUSED("no TrainingSession", CheckpointState::SaveCheckpoint(state, folder + "/none.gmck"));
    TrainingSession session(env, options, state, image, image, image);
    REFUSED("a TrainingSession already", TrainingSession(env, options, state, image));
    CHECK(session.InputNames(true) == std::vector<std::string>({"x", "labels"}));
    CHECK(session.OutputNames(false) == std::vector<std::string>({"loss", "y"}));
    CHECK(session.OutputNames(true).size() == session.TrainStep(sample()).size());
    session.LazyResetGrad();
    REFUSED("no gradients", session.OptimizerStep());
    CheckpointState other = CheckpointState::LoadCheckpoint(image);
    TrainingSession fresh(env, options, other, image);
    for (uint32_t i = 0; i < 30; ++i) {
        CHECK(std::isfinite(step(fresh, i)));
    }
    CheckpointState::SaveCheckpoint(other, folder + "/steps.gmck", true);
    fresh.ExportModelForInferencing(folder + "/trained.onnx", {"y"});
    CheckpointState::SaveCheckpoint(other, folder + "/trained.gmck", true);
}

static void data()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    TrainingSession session(env, options, state, Ort::detail::read_file(image));
    draw(3);
    const Values evaluated = session.EvalStep(sample());
    CHECK(evaluated.size() == 2 &&
          evaluated[1].GetTensorTypeAndShapeInfo().GetShape() == std::vector<int64_t>({1, 10}));
    CHECK(evaluated[0].GetTensorTypeAndShapeInfo().GetDimensionsCount() == 0 && loss_of(evaluated) > 0.0f);
    int32_t narrow = static_cast<int32_t>(label);
    Values values = sample();
    values[1] = tensor(&narrow, {1});
    CHECK(loss_of(session.TrainStep(values)) == loss_of(evaluated));
    REFUSED("elements of float", evaluated[0].GetTensorData<int32_t>());
    REFUSED("empty", Value(nullptr).GetTensorData<float>());
    values.pop_back();
    REFUSED("2 inputs, not 1", session.TrainStep(values));
    values.emplace_back(tensor(pixels, {1}));
    REFUSED("labels has elements of int32, not of float", session.TrainStep(values));
    values[0] = tensor(pixels, {64});
    REFUSED("[1, 64], not [64]", session.TrainStep(values));
    for (int64_t wrong : {int64_t(1) << 40, int64_t(10), int64_t(-1)}) {
        values = sample();
        label = wrong;
        REFUSED(wrong > 10 ? "32-bit numbers" : "neither a class index", session.EvalStep(values));
    }
    pixels[5] = NAN;
    label = 1;
    REFUSED("NaN", session.TrainStep(sample()));
    const int64_t shape[] = {1, 64}, negative[] = {-1}, large[] = {1 << 20, 1 << 20};
    REFUSED("takes 256 bytes, not 255",
            Value::CreateTensor(memory, pixels, 255, shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT));
    REFUSED("out of range", Value::CreateTensor<float>(Ort::AllocatorWithDefaultOptions(), negative, 1));
    REFUSED("out of range", Value::CreateTensor<float>(Ort::AllocatorWithDefaultOptions(), large, 2));
    REFUSED("element type 11",
            Value::CreateTensor(memory, pixels, 256, shape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE));
}

static void rates()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    Ort::SetSeed((int64_t(5) << 32) + 7);
    TrainingSession session(env, options, state, image);
    Ort::detail::seed().reset();
    CHECK(session.session().control()->seed == 7);
    session.SetLearningRate(0.25f);
    CHECK(session.GetLearningRate() == 0.25f);
    REFUSED("SetLearningRate", session.SetLearningRate(-1.0f));
    REFUSED("RegisterLinearLRScheduler() first", session.SchedulerStep());
    REFUSED("RegisterLinearLRScheduler", session.RegisterLinearLRScheduler(3, 2, 0.5f));
    REFUSED("RegisterLinearLRScheduler", session.RegisterLinearLRScheduler(-1, 2, 0.5f));
    REFUSED("RegisterLinearLRScheduler", session.RegisterLinearLRScheduler(0, int64_t(1) << 40, 0.5f));
    session.RegisterLinearLRScheduler(2, 6, 0.5f);
    const float expected[] = {0.0f, 0.25f, 0.5f, 0.375f, 0.25f, 0.125f, 0.0f};
    for (uint32_t i = 0; i < 6; ++i) {
        CHECK(session.GetLearningRate() == expected[i]);
        step(session, i);
        session.SchedulerStep();
    }
    CHECK(session.GetLearningRate() == 0.0f);
    session.RegisterLinearLRScheduler(0, 4, 0.5f);
    session.SchedulerStep();
    REFUSED("call OptimizerStep() once", session.SchedulerStep());
    step(session, 0);
    step(session, 1);
    REFUSED("call SchedulerStep() once", step(session, 2));
}

static void parameters()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    REFUSED("no TrainingSession yet", state.GetParameter("0.bias"));
    TrainingSession session(env, options, state, image);
    Value bias = state.GetParameter("0.bias");
    CHECK(bias.GetTensorTypeAndShapeInfo().GetElementCount() == 32);
    bias.GetTensorMutableData<float>()[31] = 0.5f;
    state.UpdateParameter("0.bias", bias);
    CHECK(state.GetParameter("0.bias").GetTensorData<float>()[31] == 0.5f);
    REFUSED("no such", state.GetParameter("no such"));
    REFUSED("[32]", state.UpdateParameter("0.bias", state.GetParameter("2.bias")));
    REFUSED("elements of float", state.UpdateParameter("2.bias", tensor(&label, {1})));
    Value buffer = session.ToBuffer(true);
    CHECK(session.GetParametersSize(true) == 64 * 32 + 32 + 32 * 10 + 10);
    CHECK(buffer.GetTensorTypeAndShapeInfo().GetShape() == std::vector<int64_t>({64 * 32 + 32 + 32 * 10 + 10}));
    buffer.GetTensorMutableData<float>()[0] = 2.0f;
    session.FromBuffer(buffer);
    CHECK(state.GetParameter("0.weight").GetTensorData<float>()[0] == 2.0f);
    Value small = tensor(pixels, {64});
    REFUSED("FromBuffer", session.FromBuffer(small));
}

static void inference()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    TrainingSession session(env, options, state, image);
    step(session, 0);
    session.TrainStep(sample());
    REFUSED("outputs are y", session.ExportModelForInferencing(folder + "/learned.mote", {"z"}));
    session.ExportModelForInferencing(folder + "/learned.mote", {"y"});
    Ort::Session learned(env, (folder + "/learned.mote").c_str(), options);
    CHECK(learned.GetInputCount() == 1 && learned.GetOutputCount() == 1);
    const char *x = "x", *y = "y", *none = "none";
    const Value input = tensor(pixels, {1, 64});
    const Values scores = learned.Run(Ort::RunOptions(), &x, &input, 1, &y, 1);
    const Values expected = session.EvalStep(sample());
    CHECK(memcmp(scores[0].raw(), expected[1].raw(), 40) == 0);
    REFUSED("no tensor 'none'", learned.Run(Ort::RunOptions(), &none, &input, 1, &y, 1));
    REFUSED("no tensor 'none'", learned.Run(Ort::RunOptions{nullptr}, &x, &input, 1, &none, 1));
    REFUSED("1 inputs, not 0", learned.Run(Ort::RunOptions(), &x, &input, 0, &y, 1));
    REFUSED("not a Gradmote file", Ort::Session(env, (folder + "/trained.onnx").c_str(), options));
    CheckpointState again = CheckpointState::LoadCheckpoint(folder + "/learned.mote");
    TrainingSession continued(env, options, again, folder + "/learned.mote");
    CHECK(memcmp(continued.EvalStep(sample())[1].raw(), expected[1].raw(), 40) == 0);
}

static void files()
{
    REFUSED("cannot read", CheckpointState::LoadCheckpoint(folder + "/none"));
    REFUSED("neither a .gmck", CheckpointState::LoadCheckpoint(folder + "/trained.onnx"));
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    REFUSED("another image", TrainingSession(env, options, state, stepping));
    REFUSED("all programs", TrainingSession(env, options, state, image, stepping));
    REFUSED("all programs", TrainingSession(env, options, state, image, std::nullopt, stepping));
    REFUSED("cannot read", TrainingSession(env, options, state, folder + "/none"));
    TrainingSession session(env, options, state, image);
    REFUSED("cannot write", CheckpointState::SaveCheckpoint(state, folder + "/no such folder/a.gmck"));
    CheckpointState stepped = CheckpointState::LoadCheckpoint(stepping);
    TrainingSession without(env, options, stepped, stepping);
    REFUSED("no such program", without.TrainStep(sample()));
    Bytes file = Ort::detail::read_file(folder + "/trained.gmck");
    CheckpointState from_buffer = CheckpointState::LoadCheckpointFromBuffer(file);
    TrainingSession third(env, options, from_buffer, image);
    CHECK(third.session().control()->optimizer_steps == 30);
    file.resize(file.size() / 2);
    REFUSED("shorter", CheckpointState::LoadCheckpointFromBuffer(file));
    file.resize(20);
    REFUSED("shorter", CheckpointState::LoadCheckpointFromBuffer(file));
}

// A checkpoint without the optimizer's state gives the steps of a new session with the same parameters.
static void without_the_optimizer()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(folder + "/trained.gmck");
    TrainingSession session(env, options, state, image);
    state.AddProperty("epoch", int64_t(3));
    CheckpointState::SaveCheckpoint(state, folder + "/weights.gmck");
    CheckpointState loaded = CheckpointState::LoadCheckpoint(folder + "/weights.gmck");
    TrainingSession continued(env, options, loaded, image);
    CHECK(continued.session().control()->optimizer_steps == 0 && std::get<int64_t>(loaded.GetProperty("epoch")) == 3);
    CheckpointState initial = CheckpointState::LoadCheckpoint(image);
    TrainingSession fresh(env, options, initial, image);
    Value parameters = session.ToBuffer(true);
    fresh.FromBuffer(parameters);
    for (uint32_t i = 0; i < 5; ++i) {
        CHECK(step(continued, i) == step(fresh, i));
    }
}

static void properties()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    REFUSED("make a TrainingSession", state.GetProperty("none"));
    state.AddProperty("epoch", int64_t(12));
    TrainingSession session(env, options, state, image);
    REFUSED("no property 'none'", state.GetProperty("none"));
    const std::string text = "three words, \"quotes\" \\ \n \x01 gr\xc3\xb6\xc3\x9f"
                             "e \xf0\x9f\x98\x80";
    const int64_t large = std::numeric_limits<int64_t>::min();
    state.AddProperty("made by a long name", text);
    state.AddProperty(std::string("a zero \0 byte", 13), std::string("a zero \0 byte", 13));
    state.AddProperty("samples", large);
    state.AddProperty("loss", 0.1f);
    state.AddProperty("smallest", std::numeric_limits<float>::denorm_min());
    state.AddProperty("whole", 3.0f);
    for (int i = 0; i < 6; ++i) {
        state.AddProperty("more than the slots have " + std::to_string(i), int64_t(i));
    }
    int32_t in_slot;
    CHECK(session.session().property("epoch", &in_slot) && in_slot == 12);
    state.AddProperty("epoch", std::string("twelve"));
    CHECK(!session.session().property("epoch", &in_slot));
    REFUSED("not UTF-8", state.AddProperty("text", std::string("\xff")));
    REFUSED("not UTF-8", state.AddProperty("text", std::string("\xed\xa0\x80")));
    REFUSED("must be UTF-8", state.AddProperty("", int64_t(1)));
    REFUSED("finite", state.AddProperty("nan", NAN));
    CheckpointState::SaveCheckpoint(state, folder + "/properties.gmck", true);
    CheckpointState loaded = CheckpointState::LoadCheckpoint(folder + "/properties.gmck");
    CHECK(std::get<std::string>(loaded.GetProperty("made by a long name")) == text);
    CHECK(std::get<std::string>(loaded.GetProperty(std::string("a zero \0 byte", 13))).size() == 13);
    CHECK(std::get<int64_t>(loaded.GetProperty("samples")) == large);
    CHECK(std::get<float>(loaded.GetProperty("loss")) == 0.1f && std::get<float>(loaded.GetProperty("whole")) == 3.0f);
    CHECK(std::get<float>(loaded.GetProperty("smallest")) == std::numeric_limits<float>::denorm_min());
    CHECK(std::get<int64_t>(loaded.GetProperty("more than the slots have 5")) == 5);
    CHECK(std::get<std::string>(loaded.GetProperty("epoch")) == "twelve");
    TrainingSession with_slots(env, options, loaded, image);
    CHECK(with_slots.session().set_property("loss", 9.0f));
    CHECK(std::get<float>(loaded.GetProperty("loss")) == 0.1f);
}

// The checkpoint of a device has no more than slots.
static void properties_in_slots()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(image);
    TrainingSession session(env, options, state, image);
    CHECK(session.session().set_property("best", 97) && session.session().set_property("gr\xc3\xb6\xc3\x9f"
                                                                                       "e",
                                                                                       0.5f));
    Bytes file(session.session().checkpoint_size());
    CHECK(session.session().save_to(file.data(), file.size()));
    CheckpointState loaded = CheckpointState::LoadCheckpointFromBuffer(file);
    REFUSED("make a TrainingSession", loaded.GetProperty("best"));
    TrainingSession continued(env, options, loaded, image);
    CHECK(std::get<int64_t>(loaded.GetProperty("best")) == 97);
    CHECK(std::get<float>(loaded.GetProperty("gr\xc3\xb6\xc3\x9f"
                                             "e")) == 0.5f);
}

static void properties_of_python()
{
    CheckpointState state = CheckpointState::LoadCheckpoint(folder + "/python.gmck");
    CHECK(std::get<std::string>(state.GetProperty("text")) == "a\nb\tc\"\\ \xc3\xa9 \xf0\x9f\x98\x80");
    CHECK(std::get<int64_t>(state.GetProperty("count")) == 1234567890123);
    CHECK(std::get<float>(state.GetProperty("rate")) == 1.5f);
    REFUSED("neither an int64 nor a float", state.GetProperty("huge"));
    REFUSED("neither an int64 nor a float", state.GetProperty("many digits"));
    TrainingSession session(env, options, state, image);
    CheckpointState::SaveCheckpoint(state, folder + "/again.gmck", true);
}

// Files with random changes and a right checksum are read or refused.
static void hostile_properties()
{
    const Bytes file = Ort::detail::read_file(folder + "/properties.gmck");
    gm_checkpoint header;
    memcpy(&header, file.data(), sizeof header);
    uint32_t random = 1, refused = 0;
    for (int round = 0; round < 2000; ++round) {
        Bytes changed = file;
        const size_t text = header.size + 12;
        for (int i = 0; i < 3; ++i) {
            random = random * 1664525u + 1013904223u;
            const char letters[] = "\"\\{}:,0e.u\xff ";
            changed[text + (random >> 8) % (file.size() - text)] = static_cast<uint8_t>(letters[(random >> 4) % 13]);
        }
        const uint32_t crc = gradmote::crc32(0, changed.data() + text, changed.size() - text);
        memcpy(changed.data() + header.size + 8, &crc, sizeof crc);
        try {
            CheckpointState state = CheckpointState::LoadCheckpointFromBuffer(changed);
            state.GetProperty("samples");
        } catch (const Ort::Exception &) {
            ++refused;
        }
    }
    CHECK(refused > 500 && refused < 2000);
    Bytes changed = file;
    changed.back() = 0;
    REFUSED("damaged", CheckpointState::LoadCheckpointFromBuffer(changed));
    changed.resize(header.size + 5);
    REFUSED("cut off", CheckpointState::LoadCheckpointFromBuffer(changed));
}

// A changed byte of a lasting record is refused, or changes its kind or its version; so is a record that ends early.
static void lasting_records()
{
    const Bytes file = Ort::detail::read_file(folder + "/lasting.gmck");
    gm_checkpoint header;
    memcpy(&header, file.data(), sizeof header);
    int changes = 0, cuts = 0;
    for (size_t at = header.size; at < header.size + 28 + 20; ++at) {
        Bytes changed = file;
        changed[at] ^= 1;
        try {
            CheckpointState state = CheckpointState::LoadCheckpointFromBuffer(changed);
            CHECK(std::get<int64_t>(state.GetProperty("epoch")) == 3);
        } catch (const Ort::Exception &) {
            ++changes;
        }
        try {
            CheckpointState::LoadCheckpointFromBuffer(Bytes(file.begin(), file.begin() + static_cast<long>(at)));
        } catch (const Ort::Exception &) {
            ++cuts;
        }
    }
    CHECK(changes == 28 + 20 - 2 * 8);
    CHECK(cuts == 28 + 20 - 2); // two of them are before a record
}

int main(int, char **arguments)
{
    image = arguments[1], stepping = arguments[2], folder = arguments[3];
    training();
    data();
    rates();
    parameters();
    inference();
    files();
    without_the_optimizer();
    properties();
    properties_in_slots();
    properties_of_python();
    hostile_properties();
    lasting_records();
    std::printf("%d passed\n", passed);
    return 0;
}
