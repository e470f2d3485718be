/*
 * What onnxruntime's classes share: an image with its session in memory from the heap, and the state
 * of one training. Include ort_training.hpp.
 */
#ifndef GRADMOTE_ORT_STATE_HPP
#define GRADMOTE_ORT_STATE_HPP

#include <algorithm>
#include <memory>

#include "ort_properties.hpp"

namespace Ort
{

namespace detail
{

/* The seed of sessions that begin from now on. */
inline std::optional<uint32_t> &seed()
{
    static std::optional<uint32_t> chosen;
    return chosen;
}

inline uint32_t magic_of(const Bytes &file)
{
    uint32_t magic = 0;
    if (file.size() >= sizeof magic) {
        memcpy(&magic, file.data(), sizeof magic);
    }
    return magic;
}

/* A tensor of an image. */
struct Tensor {
    gm_role_kind role;
    uint32_t index; /* among those with its role, over all programs */
    uint32_t dtype;
    Shape shape;
    std::string name;
};

inline Shape shape_of(const uint32_t *dims, uint32_t rank)
{
    return Shape(dims, dims + rank);
}

/* An image, its arena and its session. */
class Model
{
  public:
    explicit Model(const Bytes &image, const std::string &where) : image_(image.size() / 16 + 1), size_(image.size())
    {
        memcpy(image_.data(), image.data(), size_);
        gm_requirements needs;
        check(gradmote::required(image_.data(), size_, &needs), where);
        check(gradmote::verify_image(image_.data(), size_, needs.arena_size), where);
        require(needs.arena_size <= arena_limit, where + " needs more than 1 GB of memory");
        arena_.resize(needs.arena_size / 16 + 1);
        check(session.open(image_.data(), size_, arena_.data(), arena_.size() * 16), where);
        if (seed()) {
            check(session.set_seed(*seed()), where);
        }
    }

    bool is(const Bytes &image) const
    {
        return image.size() == size_ && memcmp(image.data(), image_.data(), size_) == 0;
    }

    void require_program(gm_program_kind program, const std::string &where) const
    {
        gm_requirements needs;
        check(gradmote::required(bytes(), size_, &needs), where);
        check((needs.programs >> program & 1) != 0 ? GM_OK : GM_ERR_NO_PROGRAM, where);
    }

    /* Returns the tensors of a program: inputs, then labels; or outputs. */
    std::vector<Tensor> given(gm_program_kind program) const
    {
        std::vector<Tensor> found = tensors(program, GM_ROLE_INPUT), labels = tensors(program, GM_ROLE_LABEL);
        std::move(labels.begin(), labels.end(), std::back_inserter(found));
        return found;
    }
    std::vector<Tensor> tensors(gm_program_kind program, gm_role_kind role) const
    {
        std::vector<Tensor> found;
        uint32_t index = 0;
        for (const gm_tensor &tensor : records<gm_tensor>(GM_SECTION_TENSORS)) {
            const bool counts = tensor.role == static_cast<uint32_t>(role) && tensor.programs != 0;
            if (counts && (tensor.programs >> program & 1) != 0) {
                found.push_back({role, index, tensor.dtype, shape_of(tensor.dims, tensor.rank), name(tensor.name)});
            }
            index += counts;
        }
        return found;
    }

    /* Copies the values of a program's inputs, then labels. Returns how many samples they have, or 0 if
     * it is the whole batch. */
    uint32_t write_all(const std::vector<Tensor> &tensors, const Value *values)
    {
        const int64_t batch = header()->batch;
        uint32_t rows = 0;
        for (size_t i = 0; i < tensors.size(); ++i) {
            write(tensors[i], values[i]);
            const Shape given = values[i].GetTensorTypeAndShapeInfo().GetShape();
            const bool is_part = !given.empty() && given != tensors[i].shape;
            rows = is_part ? static_cast<uint32_t>(given.front()) : rows;
        }
        for (size_t i = 0; i < tensors.size() && rows != 0; ++i) {
            const Shape given = values[i].GetTensorTypeAndShapeInfo().GetShape();
            const bool has_batch = !given.empty() && tensors[i].shape.front() == batch;
            require(!has_batch || given.front() == rows, tensors[i].name + " has " + std::to_string(given.front()) +
                                                             " samples, others " + std::to_string(rows));
        }
        return rows;
    }

    void write(const Tensor &tensor, const Value &value)
    {
        const TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
        const Element &given = element(info.GetElementType());
        const bool is_wide =
            info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 && tensor.dtype == GM_DTYPE_I32;
        require(is_wide || given.dtype == tensor.dtype,
                tensor.name + " has elements of " + element_of_dtype(tensor.dtype).name + ", not of " + given.name);
        require(fits(info.GetShape(), tensor.shape), tensor.name + " has the shape " + text(tensor.shape) + ", not " +
                                                         text(info.GetShape()) +
                                                         " - for larger batches, compile the image with --batch");
        const std::vector<int32_t> narrowed = is_wide ? narrow(tensor, value) : std::vector<int32_t>();
        const void *data = is_wide ? narrowed.data() : value.raw();
        const size_t size = is_wide ? narrowed.size() * sizeof(int32_t) : value.bytes();
        check(session.write_rows_bytes(tensor.role, tensor.index, data, size), tensor.name);
    }

    /* Returns whether a tensor of this shape takes such values: all its samples, or fewer. */
    static bool fits(const Shape &given, const Shape &shape)
    {
        return given.size() == shape.size() &&
               (given.empty() || (given.front() >= 1 && given.front() <= shape.front() &&
                                  std::equal(given.begin() + 1, given.end(), shape.begin() + 1)));
    }

    /* Runs a program on so many samples; 0: the whole batch. */
    void run(gm_program_kind program, uint32_t rows, float *loss, const std::string &where)
    {
        check(session.run_rows(program, rows != 0 ? rows : header()->batch, loss), where);
    }

    /* Returns copies of a program's outputs for so many samples; 0: the whole batch. */
    std::vector<Value> outputs(gm_program_kind program, uint32_t rows) const
    {
        std::vector<Value> values;
        gm_view view;
        for (uint32_t i = 0; session.tensor_view(program, GM_ROLE_OUTPUT, i, &view); ++i) {
            const bool is_part = rows != 0 && view.rank > 0 && view.dims[0] == header()->batch;
            values.push_back(copy(view, is_part ? rows : 0));
        }
        return values;
    }

    static Value copy(const gm_view &view, uint32_t rows = 0)
    {
        Shape shape = shape_of(view.dims, view.rank);
        const uint32_t size = rows != 0 ? view.size / view.dims[0] * rows : view.size;
        if (rows != 0) {
            shape.front() = rows;
        }
        Value value = Value::CreateTensor(AllocatorWithDefaultOptions(), shape.data(), shape.size(),
                                          element_of_dtype(view.dtype).type);
        memcpy(value.raw(), view.data, size);
        return value;
    }

    const gm_header *header() const { return session.c()->header; }
    const uint8_t *bytes() const { return image_.data()->bytes; }

    /* Returns the records of a section, which gm_open() has verified. */
    template <typename Record> gradmote::View<const Record> records(gm_section_kind kind) const
    {
        const gm_section &section = header()->sections[kind];
        const void *first = bytes() + section.offset;
        return {static_cast<const Record *>(first), section.size / sizeof(Record)};
    }

    gradmote::Session session;

  private:
    static constexpr uint32_t arena_limit = 1u << 30;

    std::string name(uint32_t offset) const
    {
        const char *names = reinterpret_cast<const char *>(bytes()) + header()->sections[GM_SECTION_NAMES].offset;
        return offset == GM_NONE ? std::string() : std::string(names + offset);
    }

    static std::vector<int32_t> narrow(const Tensor &tensor, const Value &value)
    {
        const int64_t *numbers = value.GetTensorData<int64_t>();
        std::vector<int32_t> narrowed(value.bytes() / sizeof *numbers);
        for (size_t i = 0; i < narrowed.size(); ++i) {
            require(numbers[i] >= INT32_MIN && numbers[i] <= INT32_MAX,
                    tensor.name + " takes 32-bit numbers, not " + std::to_string(numbers[i]));
            narrowed[i] = static_cast<int32_t>(numbers[i]);
        }
        return narrowed;
    }

    std::vector<gradmote::Arena<16>> image_, arena_;
    size_t size_;
};

/* The state of one training: the file that it begins from, then the session that has it. */
class State
{
  public:
    explicit State(Bytes file, std::string where) : file_(std::move(file)), where_(std::move(where))
    {
        const uint32_t magic = magic_of(file_);
        if (magic == GM_CHECKPOINT_MAGIC) {
            read_trailers();
        } else if (magic != GM_IMAGE_MAGIC) {
            throw Exception(where_ + " is neither a .gmck checkpoint nor a .mote image - gradmote compile --artifacts "
                                     "makes images of onnxruntime's checkpoints",
                            ORT_FAIL);
        }
    }

    /* Opens the image of a session with this state. */
    void open(const Bytes &image, const std::string &where)
    {
        require(model_ == nullptr, where_ + " has a TrainingSession already - load it again for another one");
        std::unique_ptr<Model> opened = std::make_unique<Model>(image, where);
        if (magic_of(file_) == GM_CHECKPOINT_MAGIC) {
            check(opened->session.load_from(file_.data(), file_.size()), where_);
        } else {
            require(opened->is(file_), where_ + " is another image than " + where + " - begin from the same one");
        }
        model_ = std::move(opened);
        take_slots();
    }

    Model &model() const
    {
        require(model_ != nullptr, where_ + " has no TrainingSession yet - make one with it first");
        return *model_;
    }

    void set_property(const std::string &name, const Property &value)
    {
        properties_.set(name, value);
        if (model_ != nullptr) {
            give_slot(name, value);
        }
    }
    Property property(const std::string &name) const
    {
        const bool may_have_slots = model_ == nullptr && properties_.empty();
        require(!may_have_slots, "'" + name + "' may be in a slot of the state - make a TrainingSession with it first");
        return properties_.get(name);
    }

    /* Returns the bytes of a checkpoint file. */
    Bytes save(bool with_optimizer) const
    {
        const gradmote::Session &session = model().session;
        Bytes saved(session.checkpoint_size());
        const gradmote::Sink file{saved.data(), saved.size()};
        check(with_optimizer ? session.save(file) : session.save_without_optimizer(file), where_);
        const Bytes trailer = properties_.trailer();
        saved.insert(saved.end(), frozen_.begin(), frozen_.end());
        saved.insert(saved.end(), trailer.begin(), trailer.end());
        return saved;
    }

  private:
    /* Takes the frozen weights and the properties after a checkpoint and its lasting records, if they are there. */
    void read_trailers()
    {
        const size_t first = end_of_lasting_records(end_of_checkpoint(0));
        const size_t second = record_at<uint32_t>(first) == GM_CHECKPOINT_MAGIC ? end_of_checkpoint(first) : first;
        frozen_.assign(file_.begin() + position(first), file_.begin() + position(second));
        if (second < file_.size()) {
            properties_.read(file_.data() + second, file_.size() - second);
        }
    }
    size_t end_of_checkpoint(size_t at) const
    {
        const auto header = record_at<gm_checkpoint>(at);
        const bool is_whole = header.size >= sizeof header && header.size <= file_.size() - at;
        check(is_whole ? GM_OK : GM_ERR_TRUNCATED, where_);
        return at + header.size;
    }
    size_t end_of_lasting_records(size_t at) const
    {
        for (auto head = record_at<gm_lasting>(at); head.magic == GM_LASTING_MAGIC; head = record_at<gm_lasting>(at)) {
            const size_t others = sizeof head + sizeof(uint32_t), left = file_.size() - at;
            check(left >= others && head.size <= left - others ? GM_OK : GM_ERR_TRUNCATED, where_);
            const uint32_t crc = gradmote::crc32(0, file_.data() + at + sizeof head, head.size);
            at += others + head.size;
            check(crc == record_at<uint32_t>(at - sizeof crc) ? GM_OK : GM_ERR_BAD_CRC, where_);
        }
        return at;
    }
    /* Returns the record at `at`, with zeros after the end of the file. */
    template <typename Record> Record record_at(size_t at) const
    {
        Record record = {};
        memcpy(&record, file_.data() + at, std::min(file_.size() - at, sizeof record));
        return record;
    }
    static std::ptrdiff_t position(size_t at) { return static_cast<std::ptrdiff_t>(at); }

    /* Takes the properties in slots, unless the file had all of them, and gives slots to those that fit. */
    void take_slots()
    {
        const bool had_none = properties_.empty();
        gm_property slot;
        for (uint32_t i = 0; had_none && model_->session.property_at(i, &slot); ++i) {
            int32_t number;
            float real;
            memcpy(&number, &slot.value, sizeof number);
            memcpy(&real, &slot.value, sizeof real);
            const std::string name(reinterpret_cast<const char *>(slot.key));
            slot.type == GM_PROPERTY_TYPE_I32 ? properties_.set(name, int64_t(number)) : properties_.set(name, real);
        }
        properties_.each([&](const std::string &name, const Property &value) { give_slot(name, value); });
    }

    /* Puts a 32-bit number with a short name into a slot too, if one is free: devices read these. */
    void give_slot(const std::string &name, const Property &value)
    {
        gradmote::Session &session = model_->session;
        const int64_t *number = std::get_if<int64_t>(&value);
        const bool is_short = name.size() < sizeof(gm_property::key) && name.find('\0') == std::string::npos;
        gradmote::Status status = GM_ERR_FULL;
        if (number != nullptr && is_short && *number >= INT32_MIN && *number <= INT32_MAX) {
            status = session.set_property(name.c_str(), static_cast<int32_t>(*number));
        } else if (const float *real = std::get_if<float>(&value); real != nullptr && is_short) {
            status = session.set_property(name.c_str(), *real);
        }
        if (!status && is_short) {
            status = session.remove_property(name.c_str());
        }
    }

    Bytes file_;
    std::string where_;
    Bytes frozen_; /* weights that nothing trains, which follow the checkpoint: the image has them too */
    Properties properties_;
    std::unique_ptr<Model> model_;
};

} /* namespace detail */

} /* namespace Ort */

#endif
