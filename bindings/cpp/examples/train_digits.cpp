// Trains an MLP on handwritten digits with onnxruntime's classes, and prints its accuracy before and after:
//
//     ./run example digits_files --accumulate && ./run scons amalgamate
//     gcc -O2 -c build/amalgamated/gradmote.c -o build/gradmote.o
//     g++ -std=c++17 -O2 -Ibuild/amalgamated bindings/cpp/examples/train_digits.cpp build/gradmote.o -o build/train_digits
//     build/train_digits build/digits
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gradmote/ort_training.hpp"

static const int64_t pixels = 64, classes = 10, epochs = 5;

template <typename T> static std::vector<T> numbers(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<T> read(bytes.size() / sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(read.data()));
    return read;
}

struct Samples {
    Samples(const std::string &folder, const std::string &part)
        : x(numbers<float>(folder + "/" + part + ".f32")), labels(numbers<int32_t>(folder + "/" + part + ".i32"))
    {
    }
    Ort::Value image(size_t i)
    {
        const int64_t shape[] = {1, pixels};
        return Ort::Value::CreateTensor<float>(memory, x.data() + i * pixels, pixels, shape, 2);
    }
    Ort::Value label(size_t i)
    {
        const int64_t shape[] = {1};
        return Ort::Value::CreateTensor<int32_t>(memory, labels.data() + i, 1, shape, 1);
    }
    Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<float> x;
    std::vector<int32_t> labels;
};

static float train_epoch(Ort::TrainingSession &session, Samples &train)
{
    float total = 0;
    for (size_t i = 0; i < train.labels.size(); ++i) {
        std::vector<Ort::Value> inputs;
        inputs.emplace_back(train.image(i));
        inputs.emplace_back(train.label(i));
        total += *session.TrainStep(inputs).front().GetTensorMutableData<float>();
        session.OptimizerStep();
        session.LazyResetGrad();
    }
    return total / static_cast<float>(train.labels.size());
}

static double accuracy(Ort::Session &session, Samples &test)
{
    const char *input = "x", *output = "y";
    size_t right = 0;
    for (size_t i = 0; i < test.labels.size(); ++i) {
        const Ort::Value image = test.image(i);
        const std::vector<Ort::Value> scores = session.Run(Ort::RunOptions(), &input, &image, 1, &output, 1);
        const float *first = scores.front().GetTensorData<float>();
        right += std::max_element(first, first + classes) - first == test.labels[i];
    }
    return static_cast<double>(right) / static_cast<double>(test.labels.size());
}

static void train(const std::string &folder)
{
    const std::string image = folder + "/model.mote", learned = folder + "/learned.mote";
    Samples samples(folder, "train"), test(folder, "test");
    Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "digits");
    Ort::SessionOptions options;
    Ort::CheckpointState state = Ort::CheckpointState::LoadCheckpoint(image);
    Ort::TrainingSession session(env, options, state, image, image, image);
    Ort::Session untrained(env, image.c_str(), options);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        std::printf("epoch %d: loss %.4f\n", epoch, static_cast<double>(train_epoch(session, samples)));
    }
    session.ExportModelForInferencing(learned, {"y"});
    Ort::Session trained(env, learned.c_str(), options);
    std::printf("accuracy %.3f -> %.3f\n", accuracy(untrained, test), accuracy(trained, test));
    state.AddProperty("made by", std::string("train_digits"));
    Ort::CheckpointState::SaveCheckpoint(state, folder + "/learned.gmck", true);
}

int main(int count, char **arguments)
{
    try {
        train(count > 1 ? arguments[1] : "build/digits");
    } catch (const Ort::Exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
