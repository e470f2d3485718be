/*
 * onnxruntime's C++ classes for training, with the same names, for a .mote image and .gmck
 * checkpoints. To move a program, change its include and its file names:
 *
 *     #include "gradmote/ort_training.hpp"           // was: "onnxruntime_training_cxx_api.h"
 *
 *     Ort::Env env;
 *     Ort::SessionOptions options;
 *     auto state = Ort::CheckpointState::LoadCheckpoint("model.mote");     // or a .gmck file
 *     Ort::TrainingSession session(env, options, state, "model.mote", "model.mote", "model.mote");
 *     float loss = *session.TrainStep(inputs).front().GetTensorMutableData<float>();
 *     session.OptimizerStep();
 *     session.LazyResetGrad();
 *     Ort::CheckpointState::SaveCheckpoint(state, "learned.gmck", true);
 *
 * The image must be compiled to accumulate (gradmote compile --accumulate). Failed calls throw
 * Ort::Exception and leave the state as it was. docs/MIGRATING.md lists the functions and the
 * differences.
 */
#ifndef GRADMOTE_ORT_TRAINING_HPP
#define GRADMOTE_ORT_TRAINING_HPP

#include "ort_state.hpp"

namespace Ort
{

class TrainingSession;

/* The state of one training: of a .gmck file, or the initial one of a .mote image. */
class CheckpointState
{
  public:
    CheckpointState() = delete;
    CheckpointState(CheckpointState &&) = default;
    CheckpointState &operator=(CheckpointState &&) = default;

    static CheckpointState LoadCheckpoint(const std::basic_string<ORTCHAR_T> &path_to_checkpoint)
    {
        const std::filesystem::path path(path_to_checkpoint);
        return CheckpointState(detail::read_file(path), path.string());
    }
    static CheckpointState LoadCheckpointFromBuffer(const std::vector<uint8_t> &buffer)
    {
        return CheckpointState(buffer, "the checkpoint in memory");
    }

    /* Writes a .gmck file: completely, or not at all. Without the optimizer's state, moments, counters,
     * rate and schedule in it are the image's initial ones. */
    static void SaveCheckpoint(const CheckpointState &checkpoint_state,
                               const std::basic_string<ORTCHAR_T> &path_to_checkpoint,
                               const bool include_optimizer_state = false)
    {
        detail::write_file(path_to_checkpoint, checkpoint_state.state_->save(include_optimizer_state));
    }

    /* Values and names of any length. They follow the checkpoint in its file; numbers of 32 bits are in
     * slots of the state too, as far as there are any: a device reads these. */
    void AddProperty(const std::string &property_name, const Property &property_value)
    {
        state_->set_property(property_name, property_value);
    }
    Property GetProperty(const std::string &property_name) { return state_->property(property_name); }

    /* Trained parameters, in their own type. Frozen ones are constants of the image. */
    void UpdateParameter(const std::string &parameter_name, const Value &parameter)
    {
        const gm_view view = find(parameter_name);
        const TensorTypeAndShapeInfo info = parameter.GetTensorTypeAndShapeInfo();
        const detail::Shape shape = detail::shape_of(view.dims, view.rank);
        const bool is_same = detail::element(info.GetElementType()).dtype == view.dtype && info.GetShape() == shape;
        detail::require(is_same, "parameter '" + parameter_name + "' has the shape " + detail::text(shape) +
                                     " and elements of " + detail::element_of_dtype(view.dtype).name);
        memcpy(view.data, parameter.raw(), view.size);
    }
    Value GetParameter(const std::string &parameter_name) { return detail::Model::copy(find(parameter_name)); }

  private:
    friend class TrainingSession;
    CheckpointState(detail::Bytes file, std::string where)
        : state_(std::make_shared<detail::State>(std::move(file), std::move(where)))
    {
    }
    gm_view find(const std::string &name)
    {
        gm_view view;
        detail::check(state_->model().session.parameter(name.c_str(), &view), "parameter '" + name + "'");
        return view;
    }

    std::shared_ptr<detail::State> state_;
};

class TrainingSession
{
  public:
    /* train_model_path: the .mote image. An image has all programs: the other two paths are absent, the
     * same, or those of copies. */
    TrainingSession(const Env &, const SessionOptions &, CheckpointState &checkpoint_state,
                    const std::basic_string<ORTCHAR_T> &train_model_path,
                    const std::optional<std::basic_string<ORTCHAR_T>> &eval_model_path = std::nullopt,
                    const std::optional<std::basic_string<ORTCHAR_T>> &optimizer_model_path = std::nullopt)
        : state_(checkpoint_state.state_), image_(train_model_path)
    {
        const detail::Bytes image = detail::read_file(image_);
        for (const auto &other : {eval_model_path, optimizer_model_path}) {
            require_same(!other || *other == train_model_path || detail::read_file(*other) == image);
        }
        state_->open(image, image_.string());
    }
    /* The same with an image in memory. */
    TrainingSession(const Env &, const SessionOptions &, CheckpointState &checkpoint_state,
                    const std::vector<uint8_t> &train_model_data, const std::vector<uint8_t> &eval_model_data = {},
                    const std::vector<uint8_t> &optim_model_data = {})
        : state_(checkpoint_state.state_)
    {
        for (const auto *other : {&eval_model_data, &optim_model_data}) {
            require_same(other->empty() || *other == train_model_data);
        }
        state_->open(train_model_data, "the image in memory");
    }

    /* The values are every input, then every label, with as many samples as the batch, or fewer; labels may be int64.
     * Returns the loss, then the program's outputs. */
    std::vector<Value> TrainStep(const std::vector<Value> &input_values) { return run(GM_PROGRAM_TRAIN, input_values); }
    std::vector<Value> EvalStep(const std::vector<Value> &input_values) { return run(GM_PROGRAM_EVAL, input_values); }
    void LazyResetGrad() { detail::check(session().lazy_reset_grad(), "LazyResetGrad"); }

    /* Applies the sum of the gradients, and advances a schedule. */
    void OptimizerStep()
    {
        detail::require(!schedule_ || *schedule_ <= 0, "OptimizerStep: the schedule advances with each update - "
                                                       "call SchedulerStep() once for each");
        detail::check(session().optimizer_step_on_sum(), "OptimizerStep");
        schedule_ = schedule_ ? std::optional<int>(*schedule_ + 1) : std::nullopt;
    }

    void SetLearningRate(float learning_rate)
    {
        detail::check(session().set_learning_rate(learning_rate), "SetLearningRate");
        schedule_.reset();
    }
    float GetLearningRate() const { return session().learning_rate(); }
    void RegisterLinearLRScheduler(int64_t warmup_step_count, int64_t total_step_count, float initial_lr)
    {
        const bool fits = warmup_step_count >= 0 && total_step_count <= UINT32_MAX;
        const bool ordered = fits && warmup_step_count <= total_step_count;
        detail::check(ordered ? session().set_linear_schedule(initial_lr, static_cast<uint32_t>(warmup_step_count),
                                                              static_cast<uint32_t>(total_step_count))
                              : GM_ERR_INVALID_ARGUMENT,
                      "RegisterLinearLRScheduler");
        schedule_ = 0;
    }
    /* Changes nothing, since OptimizerStep() has advanced the schedule or is about to. Refused without one
     * call of that for each of these: then rates would differ from onnxruntime's. */
    void SchedulerStep()
    {
        detail::require(schedule_.has_value(), "SchedulerStep: call RegisterLinearLRScheduler() first");
        detail::require(*schedule_ >= 0, "SchedulerStep: the schedule advances with each update - "
                                         "call OptimizerStep() once for each");
        --*schedule_;
    }

    std::vector<std::string> InputNames(const bool training) { return names(model().given(program(training))); }
    std::vector<std::string> OutputNames(const bool training)
    {
        std::vector<std::string> found = names(model().tensors(program(training), GM_ROLE_OUTPUT));
        found.insert(found.begin(), "loss");
        return found;
    }

    /* The trained parameters, which must be float. An image has frozen ones as constants, so the argument
     * changes nothing. */
    size_t GetParametersSize(const bool only_trainable) { return parameters(only_trainable).size / sizeof(float); }
    Value ToBuffer(const bool only_trainable)
    {
        gm_view view = parameters(only_trainable);
        const uint32_t elements = view.size / static_cast<uint32_t>(sizeof(float));
        view.dims = &elements;
        view.rank = 1;
        return detail::Model::copy(view);
    }
    void FromBuffer(Value &buffer)
    {
        parameters(true);
        detail::check(session().set_parameters(buffer.GetTensorData<float>(), buffer.bytes()), "FromBuffer");
    }

    /* graph_output_names: all outputs of the model. A path that ends in .mote becomes an image with these
     * parameters and statistics, for Ort::Session. Any other becomes the trained model as ONNX, made with
     * the export table beside the image (gradmote compile --export-table). */
    void ExportModelForInferencing(const std::basic_string<ORTCHAR_T> &inference_model_path,
                                   const std::vector<std::string> &graph_output_names)
    {
        require_outputs(graph_output_names);
        const std::filesystem::path path(inference_model_path);
        detail::write_file(path, path.extension() == ".mote" ? trained_image() : trained_model());
    }

    /* The session below, for what these classes lack. */
    gradmote::Session &session() const { return model().session; }

  private:
    static void require_same(bool is_same)
    {
        detail::require(is_same, "an image has all programs - pass it for each model, or no others");
    }
    static gm_program_kind program(bool training) { return training ? GM_PROGRAM_TRAIN : GM_PROGRAM_EVAL; }
    static std::vector<std::string> names(const std::vector<detail::Tensor> &tensors)
    {
        std::vector<std::string> found;
        for (const detail::Tensor &tensor : tensors) {
            found.push_back(tensor.name);
        }
        return found;
    }
    detail::Model &model() const { return state_->model(); }

    std::vector<Value> run(gm_program_kind kind, const std::vector<Value> &values)
    {
        const bool trains = kind == GM_PROGRAM_TRAIN;
        const std::string where = trains ? "TrainStep" : "EvalStep";
        model().require_program(kind, where);
        const std::vector<detail::Tensor> given = model().given(kind);
        detail::require(values.size() == given.size(),
                        "there are " + std::to_string(given.size()) + " inputs, not " + std::to_string(values.size()));
        const uint32_t rows = model().write_all(given, values.data());
        float loss;
        model().run(kind, rows, &loss, where);
        std::vector<Value> results = model().outputs(kind, rows);
        results.insert(results.begin(), Value::CreateTensor<float>(AllocatorWithDefaultOptions(), nullptr, 0));
        *results.front().GetTensorMutableData<float>() = loss;
        return results;
    }

    gm_view parameters(bool)
    {
        gm_view view;
        for (uint32_t i = 0; session().parameter_at(i, &view); ++i) {
            detail::require(view.dtype == GM_DTYPE_F32, "the parameters are of several types - use GetParameter()");
        }
        detail::check(session().parameters(&view), "the parameters");
        view.dtype = GM_DTYPE_F32;
        return view;
    }

    void require_outputs(std::vector<std::string> wanted) const
    {
        std::vector<std::string> own = names(model().tensors(GM_PROGRAM_INFER, GM_ROLE_OUTPUT));
        std::string all;
        for (const std::string &name : own) {
            all += (all.empty() ? "" : ", ") + name;
        }
        std::sort(own.begin(), own.end());
        std::sort(wanted.begin(), wanted.end());
        detail::require(own == wanted, "the model's outputs are " + all + " - pass all of them");
    }

    detail::Bytes trained_model() const
    {
        const std::filesystem::path table = std::filesystem::path(image_).replace_extension(".gmex");
        detail::require(!image_.empty(), "the export table of an image in memory is unknown - open its file");
        if (!std::filesystem::exists(table)) {
            throw Exception(table.string() + " is missing - gradmote compile --export-table makes it", ORT_NO_SUCHFILE);
        }
        const detail::Bytes bytes = detail::read_file(table);
        const gradmote::Source read{bytes.data(), bytes.size()};
        uint32_t size;
        detail::check(session().export_check(read, bytes.size(), &size), table.string());
        detail::Bytes exported(size);
        gradmote::Sink write{exported.data(), exported.size()};
        detail::check(session().export_model(read, write, bytes.size()), table.string());
        return exported;
    }

    detail::Bytes trained_image() const
    {
        const gm_header *header = model().header();
        const gm_section &initial = header->sections[GM_SECTION_INITIAL];
        gm_view state;
        detail::Bytes image(model().bytes(), model().bytes() + header->size);
        detail::check(session().state(&state), "the state");
        for (const gm_state_entry &entry : model().records<gm_state_entry>(GM_SECTION_STATE)) {
            if (entry.role == GM_STATE_ROLE_PARAMETER || entry.role == GM_STATE_ROLE_STATISTIC) {
                detail::require(entry.offset + entry.size <= initial.size, "the image has no place for its statistics");
                memcpy(image.data() + initial.offset + entry.offset, static_cast<uint8_t *>(state.data) + entry.offset,
                       entry.size);
            }
        }
        const uint32_t crc = gradmote::crc32(0, image.data() + 16, image.size() - 16);
        memcpy(image.data() + offsetof(gm_header, crc), &crc, sizeof crc);
        return image;
    }

    std::shared_ptr<detail::State> state_;
    std::filesystem::path image_;
    std::optional<int> schedule_; /* OptimizerStep() less SchedulerStep() since a schedule began, -1 to 1 */
};

/* Infers with a .mote image, such as ExportModelForInferencing() writes. */
class Session
{
  public:
    Session(const Env &, const ORTCHAR_T *model_path, const SessionOptions &)
        : model_(std::make_unique<detail::Model>(detail::read_file(model_path),
                                                 std::filesystem::path(model_path).string()))
    {
    }

    size_t GetInputCount() const { return model_->given(GM_PROGRAM_INFER).size(); }
    size_t GetOutputCount() const { return model_->tensors(GM_PROGRAM_INFER, GM_ROLE_OUTPUT).size(); }

    void Run(const RunOptions &, const char *const *input_names, const Value *input_values, size_t input_count,
             const char *const *output_names, Value *output_values, size_t output_count)
    {
        model_->require_program(GM_PROGRAM_INFER, "Run");
        const std::vector<detail::Tensor> given = model_->given(GM_PROGRAM_INFER);
        detail::require(input_count == given.size(),
                        "there are " + std::to_string(given.size()) + " inputs, not " + std::to_string(input_count));
        std::vector<detail::Tensor> inputs;
        for (size_t i = 0; i < input_count; ++i) {
            inputs.push_back(given[index(given, input_names[i])]);
        }
        const uint32_t rows = model_->write_all(inputs, input_values);
        model_->run(GM_PROGRAM_INFER, rows, nullptr, "Run");
        const std::vector<detail::Tensor> made = model_->tensors(GM_PROGRAM_INFER, GM_ROLE_OUTPUT);
        for (size_t i = 0; i < output_count; ++i) {
            output_values[i] = std::move(model_->outputs(GM_PROGRAM_INFER, rows)[index(made, output_names[i])]);
        }
    }
    std::vector<Value> Run(const RunOptions &options, const char *const *input_names, const Value *input_values,
                           size_t input_count, const char *const *output_names, size_t output_count)
    {
        std::vector<Value> outputs(output_count);
        Run(options, input_names, input_values, input_count, output_names, outputs.data(), output_count);
        return outputs;
    }

  private:
    static size_t index(const std::vector<detail::Tensor> &tensors, const std::string &name)
    {
        for (size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i].name == name) {
                return i;
            }
        }
        throw Exception("the model has no tensor '" + name + "'", ORT_INVALID_ARGUMENT);
    }

    std::unique_ptr<detail::Model> model_;
};

/* Sets the seed of sessions made from now on: its lowest 32 bits. */
inline void SetSeed(const int64_t seed)
{
    detail::seed() = static_cast<uint32_t>(seed);
}

} /* namespace Ort */

#endif
