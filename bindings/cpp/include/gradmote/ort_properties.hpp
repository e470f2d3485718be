/*
 * Properties of any length: what follows a checkpoint in its file (docs/SPEC.md, "Properties after a
 * checkpoint"). A device never reads it; `gradmote.training` reads and writes the same bytes. Include
 * ort_training.hpp.
 */
#ifndef GRADMOTE_ORT_PROPERTIES_HPP
#define GRADMOTE_ORT_PROPERTIES_HPP

#include <cmath>
#include <iomanip>
#include <locale>
#include <map>
#include <sstream>
#include <variant>

#include "ort_values.hpp"

namespace Ort
{

using Property = std::variant<int64_t, float, std::string>;

namespace detail
{

constexpr uint32_t properties_magic = 0x50504d47; /* GMPP */

/* Returns the bytes of the UTF-8 character at `at`, or 0 if there is none. */
inline size_t character(const std::string &text, size_t at)
{
    const auto byte = [&](size_t i) -> unsigned { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
    const unsigned first = byte(at), second = byte(at + 1);
    const size_t size = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
    for (size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool is_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool is_surrogate = first == 0xed && second >= 0xa0;
    return is_long || is_surrogate || (first == 0xf4 && second >= 0x90) ? 0 : size;
}

inline bool is_utf8(const std::string &text)
{
    for (size_t at = 0, size; at < text.size(); at += size) {
        if ((size = character(text, at)) == 0) {
            return false;
        }
    }
    return true;
}

inline std::string utf8(uint32_t point)
{
    const auto next = [&](unsigned shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
    if (point < 0x80) {
        return {static_cast<char>(point)};
    }
    if (point < 0x800) {
        return {static_cast<char>(0xc0 | point >> 6), next(0)};
    }
    if (point < 0x10000) {
        return {static_cast<char>(0xe0 | point >> 12), next(6), next(0)};
    }
    return {static_cast<char>(0xf0 | point >> 18), next(12), next(6), next(0)};
}

/* Returns a text as JSON. */
inline std::string quoted(const std::string &text)
{
    std::ostringstream json;
    json << '"' << std::hex << std::setfill('0');
    for (char letter : text) {
        if (static_cast<uint8_t>(letter) < 0x20) {
            json << "\\u" << std::setw(4) << static_cast<int>(letter);
        } else {
            json << (letter == '"' || letter == '\\' ? "\\" : "") << letter;
        }
    }
    return json.str() + '"';
}

/* Returns a value as JSON. A float always has a point or an exponent, which make it a float again. */
inline std::string json_of(const Property &value)
{
    std::ostringstream json;
    json.imbue(std::locale::classic());
    if (const int64_t *number = std::get_if<int64_t>(&value)) {
        json << *number;
    } else if (const float *real = std::get_if<float>(&value)) {
        json << std::setprecision(9) << *real;
        return json.str().find_first_of(".e") == std::string::npos ? json.str() + ".0" : json.str();
    } else {
        return quoted(std::get<std::string>(value));
    }
    return json.str();
}

/* Reads a JSON object of numbers and strings. */
class JsonObject
{
  public:
    explicit JsonObject(const std::string &text) : text_(text) {}

    /* Returns each name with the JSON of its value. */
    std::map<std::string, std::string> read()
    {
        std::map<std::string, std::string> found;
        expect('{');
        for (bool more = !next_is('}'); more; more = next_is(',') || (expect('}'), false)) {
            const std::string name = string();
            expect(':');
            found[name] = value();
        }
        require(skip() == text_.size(), damaged);
        return found;
    }

    /* Reads a string with its quotes. */
    std::string string()
    {
        std::string read;
        expect('"');
        while (letter() != '"') {
            require(static_cast<uint8_t>(letter()) >= 0x20, damaged);
            read += text_[at_] == '\\' ? escaped() : std::string(1, text_[at_++]);
        }
        ++at_;
        return read;
    }

  private:
    static constexpr const char *damaged = "the properties after the checkpoint are damaged - transfer the file again";

    size_t skip() { return at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    char letter() const
    {
        require(at_ < text_.size(), damaged);
        return text_[at_];
    }
    bool next_is(char wanted)
    {
        const bool is = skip() < text_.size() && text_[at_] == wanted;
        at_ += is;
        return is;
    }
    void expect(char wanted) { require(next_is(wanted), damaged); }

    std::string value()
    {
        const size_t first = skip();
        if (letter() == '"') {
            string();
        } else {
            at_ = std::min(text_.find_first_not_of("+-.0123456789Ee", at_), text_.size());
            require(at_ > first, damaged);
        }
        return text_.substr(first, at_ - first);
    }

    std::string escaped()
    {
        static const std::string letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        ++at_;
        const char kind = letter();
        ++at_;
        if (kind != 'u') {
            const size_t index = letters.find(kind);
            require(index != std::string::npos, damaged);
            return {meanings[index]};
        }
        const uint32_t high = hexadecimal();
        if (high < 0xd800 || high > 0xdfff) {
            return utf8(high);
        }
        require(high < 0xdc00 && text_.compare(at_, 2, "\\u") == 0, damaged);
        at_ += 2;
        const uint32_t low = hexadecimal();
        require(low >= 0xdc00 && low <= 0xdfff, damaged);
        return utf8(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    }
    uint32_t hexadecimal()
    {
        uint32_t read = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const size_t digit = std::string("0123456789abcdef0123456789ABCDEF").find(letter());
            require(digit != std::string::npos, damaged);
            read = read << 4 | static_cast<uint32_t>(digit & 15);
        }
        return read;
    }

    const std::string &text_;
    size_t at_ = 0;
};

/* The properties of a state. Values that nobody sets stay in the JSON that they were read in. */
class Properties
{
  public:
    /* Reads what follows a checkpoint. */
    void read(const uint8_t *trailer, size_t size)
    {
        uint32_t header[3];
        require(size >= sizeof header, "the properties after the checkpoint are cut off - transfer the file again");
        memcpy(header, trailer, sizeof header);
        const std::string text(reinterpret_cast<const char *>(trailer) + sizeof header, size - sizeof header);
        const bool is_sound = header[0] == properties_magic && header[1] == text.size() &&
                              header[2] == gradmote::crc32(0, text.data(), text.size()) && is_utf8(text);
        require(is_sound, "what follows the checkpoint is damaged - transfer the file again");
        values_ = JsonObject(text).read();
    }

    /* Returns what follows a checkpoint: nothing without properties. */
    Bytes trailer() const
    {
        std::string text;
        for (const auto &[name, json] : values_) {
            text += (text.empty() ? "{" : ", ") + quoted(name) + ": " + json;
        }
        text += text.empty() ? "" : "}";
        const uint32_t size = static_cast<uint32_t>(text.size());
        const uint32_t header[] = {properties_magic, size, gradmote::crc32(0, text.data(), text.size())};
        Bytes bytes(text.empty() ? 0 : sizeof header + text.size());
        if (!text.empty()) {
            memcpy(bytes.data(), header, sizeof header);
            memcpy(bytes.data() + sizeof header, text.data(), text.size());
        }
        return bytes;
    }

    void set(const std::string &name, const Property &value)
    {
        const std::string *text = std::get_if<std::string>(&value);
        const float *real = std::get_if<float>(&value);
        require(!name.empty() && is_utf8(name), "the name of a property must be UTF-8, and not empty");
        require(text == nullptr || is_utf8(*text), "property '" + name + "' is not UTF-8");
        require(real == nullptr || std::isfinite(*real), "property '" + name + "' is not a finite number");
        values_[name] = json_of(value);
    }

    Property get(const std::string &name) const
    {
        const auto found = values_.find(name);
        require(found != values_.end(), "there is no property '" + name + "'");
        const std::optional<Property> value = value_of(found->second);
        require(value.has_value(),
                "property '" + name + "' is " + found->second + ", which is neither an int64 nor a float");
        return *value;
    }

    /* Calls visit(name, value) for each property that is an int64, a float or a text. */
    template <typename Visit> void each(Visit visit) const
    {
        for (const auto &[name, json] : values_) {
            if (const std::optional<Property> value = value_of(json)) {
                visit(name, *value);
            }
        }
    }

    bool empty() const { return values_.empty(); }

  private:
    static std::optional<Property> value_of(const std::string &json)
    {
        if (json[0] == '"') {
            return JsonObject(json).string();
        }
        std::istringstream stream(json);
        stream.imbue(std::locale::classic());
        int64_t number = 0;
        double real = 0;
        const bool is_real = json.find_first_of(".eE") != std::string::npos;
        is_real ? stream >> real : stream >> number;
        if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof() ||
            std::fabs(real) > 3.4028234663852886e38) {
            return std::nullopt;
        }
        return is_real ? Property(static_cast<float>(real)) : Property(number);
    }

    std::map<std::string, std::string> values_;
};

} /* namespace detail */

} /* namespace Ort */

#endif
