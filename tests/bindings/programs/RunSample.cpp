// Trains digits with the functions of onnxruntime-training-examples' Android application: RunSample FOLDER, with the files of
// examples/digits_files.py, and an image of pictures of three channels. `python -m bindings.ort_samples` compiles it.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "inference.h"
#include "session_cache.h"
#include "train.h"

static const size_t channels = 3, side = 8;

template <typename T> static std::vector<T> numbers(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<T> read(bytes.size() / sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(read.data()));
    return read;
}

// The i-th picture, grey in three channels.
static std::vector<float> picture(const std::vector<float> &pixels, size_t i)
{
    const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(i * side * side);
    std::vector<float> planes;
    for (size_t channel = 0; channel < channels; ++channel) {
        planes.insert(planes.end(), first, first + side * side);
    }
    return planes;
}

static double accuracy(SessionCache *cache, const std::string &folder)
{
    const std::vector<float> pixels = numbers<float>(folder + "/test.f32");
    const std::vector<int32_t> labels = numbers<int32_t>(folder + "/test.i32");
    const std::vector<std::string> classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    cache->training_session.ExportModelForInferencing(cache->artifact_paths.inference_model_path.c_str(), {"output"});
    const auto session = std::make_unique<Ort::Session>(
        cache->ort_env, cache->artifact_paths.inference_model_path.c_str(), cache->session_options);
    cache->inference_session = session.get();
    size_t right = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
        std::vector<float> planes = picture(pixels, i);
        const auto found = inference::classify(cache, planes.data(), 1, channels, side, side, classes);
        right += found.first == classes[static_cast<size_t>(labels[i])];
    }
    return static_cast<double>(right) / static_cast<double>(labels.size());
}

int main(int, char **arguments)
{
    const std::string folder = arguments[1], image = folder + "/model.mote";
    const std::vector<float> pixels = numbers<float>(folder + "/train.f32");
    std::vector<int32_t> labels = numbers<int32_t>(folder + "/train.i32");
    SessionCache cache(image, image, image, image, folder);
    const double before = accuracy(&cache, folder);
    for (int epoch = 0; epoch < 2; ++epoch) {
        for (size_t i = 0; i < labels.size(); ++i) {
            std::vector<float> planes = picture(pixels, i);
            training::train_step(&cache, planes.data(), &labels[i], 1, channels, side, side);
        }
    }
    std::printf("accuracy %.3f -> %.3f\n", before, accuracy(&cache, folder));
    return 0;
}
