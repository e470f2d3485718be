/*
 * onnxruntime's small classes, as far as training needs them: errors, options, and tensors. Include
 * ort_training.hpp.
 */
#ifndef GRADMOTE_ORT_VALUES_HPP
#define GRADMOTE_ORT_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gradmote.hpp"

#if defined(_WIN32)
#define ORTCHAR_T wchar_t
#else
#define ORTCHAR_T char
#endif

enum OrtLoggingLevel {
    ORT_LOGGING_LEVEL_VERBOSE,
    ORT_LOGGING_LEVEL_INFO,
    ORT_LOGGING_LEVEL_WARNING,
    ORT_LOGGING_LEVEL_ERROR,
    ORT_LOGGING_LEVEL_FATAL,
};

enum OrtErrorCode {
    ORT_OK,
    ORT_FAIL,
    ORT_INVALID_ARGUMENT,
    ORT_NO_SUCHFILE,
    ORT_NO_MODEL,
    ORT_ENGINE_ERROR,
    ORT_RUNTIME_EXCEPTION,
    ORT_INVALID_PROTOBUF,
    ORT_MODEL_LOADED,
    ORT_NOT_IMPLEMENTED,
    ORT_INVALID_GRAPH,
    ORT_EP_FAIL,
};

enum OrtAllocatorType { OrtInvalidAllocator = -1, OrtDeviceAllocator = 0, OrtArenaAllocator = 1 };

enum OrtMemType {
    OrtMemTypeCPUInput = -2,
    OrtMemTypeCPUOutput = -1,
    OrtMemTypeCPU = OrtMemTypeCPUOutput,
    OrtMemTypeDefault = 0,
};

enum GraphOptimizationLevel {
    ORT_DISABLE_ALL = 0,
    ORT_ENABLE_BASIC = 1,
    ORT_ENABLE_EXTENDED = 2,
    ORT_ENABLE_ALL = 99,
};

enum ONNXTensorElementDataType {
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
};

namespace Ort
{

/* What every call of these classes throws. */
class Exception : public std::exception
{
  public:
    Exception(std::string text, OrtErrorCode code) : text_(std::move(text)), code_(code) {}
    OrtErrorCode GetOrtErrorCode() const { return code_; }
    const char *what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
    OrtErrorCode code_;
};

/* The options below change nothing: there are no logs, and one thread runs each session. */
struct Env {
    explicit Env(OrtLoggingLevel = ORT_LOGGING_LEVEL_WARNING, const char * = "") {}
};

struct SessionOptions {
    SessionOptions &SetIntraOpNumThreads(int) { return *this; }
    SessionOptions &SetInterOpNumThreads(int) { return *this; }
    SessionOptions &SetGraphOptimizationLevel(GraphOptimizationLevel) { return *this; }
};

struct RunOptions {
    explicit RunOptions(std::nullptr_t = nullptr) {}
};

struct AllocatorWithDefaultOptions {};

struct MemoryInfo {
    static MemoryInfo CreateCpu(OrtAllocatorType, OrtMemType) { return {}; }
};

namespace detail
{

inline void check(gradmote::Status status, const std::string &where)
{
    if (!status) {
        bool is_argument = status.code() == GM_ERR_INVALID_ARGUMENT || status.code() == GM_ERR_WRONG_SIZE;
        throw Exception(where + ": " + status.text() + " - " + status.hint(),
                        is_argument ? ORT_INVALID_ARGUMENT : ORT_FAIL);
    }
}

inline void require(bool holds, const std::string &text)
{
    if (!holds) {
        throw Exception(text, ORT_INVALID_ARGUMENT);
    }
}

using Bytes = std::vector<uint8_t>;

inline Bytes read_file(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    Bytes bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad() || bytes.empty()) {
        throw Exception("cannot read " + path.string() + " - check the path", ORT_NO_SUCHFILE);
    }
    return bytes;
}

/* Writes a file completely, or leaves the old one. */
inline void write_file(const std::filesystem::path &path, const Bytes &bytes)
{
    std::filesystem::path started = path;
    started += ".new";
    std::ofstream file(started, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code failed;
    if (!file.fail()) {
        std::filesystem::rename(started, path, failed);
    }
    if (file.fail() || failed) {
        std::filesystem::remove(started, failed);
        throw Exception("cannot write " + path.string() + " - check the folder and its free space", ORT_FAIL);
    }
}

/* One row for each type of an element: onnxruntime's number, Gradmote's, bytes. */
struct Element {
    ONNXTensorElementDataType type;
    uint32_t dtype;
    size_t size;
    const char *name;
};
constexpr Element elements[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, GM_DTYPE_F32, 4, "float"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, GM_DTYPE_I32, 4, "int32"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, GM_DTYPE_I8, 1, "int8"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, GM_DTYPE_U8, 1, "uint8"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, GM_DTYPE_I16, 2, "int16"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, GM_NONE, 8, "int64"}, /* tensors have them as int32 */
};

inline const Element &element(ONNXTensorElementDataType type)
{
    for (const Element &known : elements) {
        if (known.type == type) {
            return known;
        }
    }
    throw Exception("a tensor of element type " + std::to_string(type) +
                        " - use float, int32, int64, int8, uint8 or int16",
                    ORT_NOT_IMPLEMENTED);
}

inline const Element &element_of_dtype(uint32_t dtype)
{
    for (const Element &known : elements) {
        if (known.dtype == dtype) {
            return known;
        }
    }
    throw Exception("a tensor of an unknown type", ORT_FAIL);
}

template <typename T> constexpr ONNXTensorElementDataType type_of()
{
    for (const Element &known : elements) {
        if constexpr (std::is_same_v<T, int64_t>) {
            return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
        } else if (known.dtype == gradmote::dtype_of<T>::value) {
            return known.type;
        }
    }
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

using Shape = std::vector<int64_t>;

inline std::string text(const Shape &shape)
{
    std::string dims;
    for (int64_t dim : shape) {
        dims += (dims.empty() ? "" : ", ") + std::to_string(dim);
    }
    return "[" + dims + "]";
}

/* Returns the number of elements. Refuses negative dims and shapes of more than 2^31 elements. */
inline size_t count(const Shape &shape)
{
    int64_t elements = 1;
    for (int64_t dim : shape) {
        require(dim >= 0 && (dim == 0 || elements <= INT32_MAX / dim), "the shape " + text(shape) + " is out of range");
        elements *= dim;
    }
    return static_cast<size_t>(elements);
}

} /* namespace detail */

class TensorTypeAndShapeInfo
{
  public:
    TensorTypeAndShapeInfo(ONNXTensorElementDataType type, detail::Shape shape) : type_(type), shape_(std::move(shape))
    {
    }
    ONNXTensorElementDataType GetElementType() const { return type_; }
    size_t GetDimensionsCount() const { return shape_.size(); }
    size_t GetElementCount() const { return detail::count(shape_); }
    std::vector<int64_t> GetShape() const { return shape_; }

  private:
    ONNXTensorElementDataType type_;
    detail::Shape shape_;
};

/* A tensor, in the caller's memory or in its own; or nothing, until Session::Run() fills it. */
class Value
{
  public:
    explicit Value(std::nullptr_t = nullptr) {}
    Value(Value &&) = default;
    Value &operator=(Value &&) = default;

    /* In the caller's memory, which must outlive it. bytes, elements: at least the shape's. */
    static Value CreateTensor(const MemoryInfo &, void *data, size_t bytes, const int64_t *shape, size_t rank,
                              ONNXTensorElementDataType type)
    {
        Value value(type, detail::Shape(shape, shape + rank));
        detail::require(data != nullptr && bytes >= value.bytes(),
                        "the data of a tensor " + detail::text(value.shape_) + " takes " +
                            std::to_string(value.bytes()) + " bytes, not " + std::to_string(bytes));
        value.data_ = data;
        return value;
    }
    template <typename T>
    static Value CreateTensor(const MemoryInfo &info, T *data, size_t elements, const int64_t *shape, size_t rank)
    {
        return CreateTensor(info, data, elements * sizeof(T), shape, rank, detail::type_of<T>());
    }
    /* In its own memory, which is zeros. */
    static Value CreateTensor(AllocatorWithDefaultOptions, const int64_t *shape, size_t rank,
                              ONNXTensorElementDataType type)
    {
        Value value(type, detail::Shape(shape, shape + rank));
        value.owned_.resize((value.bytes() + 7) / 8);
        value.data_ = value.owned_.data();
        return value;
    }
    template <typename T>
    static Value CreateTensor(AllocatorWithDefaultOptions allocator, const int64_t *shape, size_t rank)
    {
        return CreateTensor(allocator, shape, rank, detail::type_of<T>());
    }

    bool HasValue() const { return type_ != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED; }
    bool IsTensor() const { return HasValue(); }
    TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const { return {type_, shape_}; }
    /* The elements. Another type than the tensor's is refused; onnxruntime reads other numbers. */
    template <typename T> T *GetTensorMutableData()
    {
        check_type<T>();
        return static_cast<T *>(data_);
    }
    template <typename T> const T *GetTensorData() const
    {
        check_type<T>();
        return static_cast<const T *>(data_);
    }

    /* Returns the data of any type, and its size in bytes. */
    void *raw() { return data_; }
    const void *raw() const { return data_; }
    size_t bytes() const { return detail::count(shape_) * detail::element(type_).size; }

  private:
    Value(ONNXTensorElementDataType type, detail::Shape shape) : type_(type), shape_(std::move(shape))
    {
        detail::element(type_);
    }
    template <typename T> void check_type() const
    {
        detail::require(HasValue() && type_ == detail::type_of<T>(),
                        HasValue() ? std::string("the tensor has elements of ") + detail::element(type_).name
                                   : "the value is empty");
    }

    void *data_ = nullptr;
    std::vector<uint64_t> owned_;
    ONNXTensorElementDataType type_ = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    detail::Shape shape_;
};

} /* namespace Ort */

#endif
