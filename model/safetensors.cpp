#include "model/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

namespace cryolite {
namespace {

using nlohmann::json;

constexpr size_t length_bytes = 8;
constexpr size_t most_dimensions = 8;
constexpr const char *metadata_key = "__metadata__";
static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie");

// The header has objects in objects in one object. Deeper ones could exhaust the stack.
constexpr int deepest = 4;

json parsed_header(std::string_view text) {
    const auto not_too_deep = [](int depth, json::parse_event_t event, json &) {
        const bool opens =
            event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        if (opens && depth > deepest) throw std::length_error("deep");
        return true;
    };
    try {
        return json::parse(text, not_too_deep);
    } catch (const std::exception &) {
        return json(json::value_t::discarded);
    }
}

std::optional<uint64_t> whole_number(const json &value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    return value.get<uint64_t>();
}

// The number of values of the shape; nullopt: no shape, or more than `most`.
std::optional<uint64_t> count_of(const json &shape, uint64_t most) {
    if (!shape.is_array() || shape.size() > most_dimensions) return std::nullopt;
    uint64_t count = 1;
    for (const json &extent : shape) {
        const auto n = whole_number(extent);
        if (!n || (*n > 0 && count > most / *n)) return std::nullopt;
        count *= *n;
    }
    return count;
}

struct Entry {
    uint64_t begin, end;
    std::string name;
    Tensor tensor;
};

}  // namespace

std::string safetensors_bytes(const Safetensors &file) {
    json header = json::object();
    header[metadata_key] = file.metadata;
    std::string data;
    for (const auto &[name, tensor] : file.tensors) {
        const size_t begin = data.size(), bytes = tensor.values.size() * sizeof(float);
        data.resize(begin + bytes);
        if (bytes > 0) std::memcpy(data.data() + begin, tensor.values.data(), bytes);
        header[name] = {
            {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.resize((text.size() + length_bytes - 1) / length_bytes * length_bytes, ' ');
    std::string out(length_bytes, '\0');
    for (size_t i = 0; i < length_bytes; i++)
        out[i] = static_cast<char>(static_cast<uint64_t>(text.size()) >> (8 * i));
    return out + text + data;
}

Result<Safetensors> parse_safetensors(std::string_view bytes) {
    if (bytes.size() < length_bytes) return Error{"is no safetensors file: it is too short"};
    uint64_t header_bytes = 0;
    for (size_t i = 0; i < length_bytes; i++)
        header_bytes |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    if (header_bytes > bytes.size() - length_bytes)
        return Error{"is no safetensors file, or was cut off: it is shorter than its header"};
    const std::string_view data = bytes.substr(length_bytes + header_bytes);
    const std::string_view text = bytes.substr(length_bytes, header_bytes);
    // The parser would take a zero byte for the end.
    const json header = text.find('\0') == text.npos ? parsed_header(text) : json();
    if (!header.is_object()) return Error{"is no safetensors file: its header is no JSON object"};

    Safetensors out;
    std::vector<Entry> entries;
    for (const auto &[name, value] : header.items()) {
        if (name == metadata_key) {
            if (!value.is_object()) return Error{"has metadata that are no object"};
            for (const auto &[key, text] : value.items()) {
                if (!text.is_string()) return Error{"has metadata that are no texts"};
                out.metadata[key] = text.get<std::string>();
            }
            continue;
        }
        const auto wrong = [&](const std::string &what) {
            return Error{"has a tensor '" + name + "' " + what};
        };
        if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
            !value.contains("shape") || !value.contains("data_offsets"))
            return wrong("without a type, a shape and offsets");
        if (value["dtype"] != "F32") return wrong("that holds no floats of 32 bits");
        const auto count = count_of(value["shape"], data.size() / sizeof(float));
        if (!count) return wrong("with a shape that the file has no room for");
        const json &offsets = value["data_offsets"];
        if (!offsets.is_array() || offsets.size() != 2) return wrong("without two offsets");
        const auto begin = whole_number(offsets[0]), end = whole_number(offsets[1]);
        if (!begin || !end || *begin > *end || *end > data.size() ||
            *end - *begin != *count * sizeof(float))
            return wrong("whose offsets do not fit its shape, or lie outside of the file");
        Entry &entry = entries.emplace_back(Entry{*begin, *end, name, {}});
        for (const json &extent : value["shape"])
            entry.tensor.shape.push_back(extent.get<int64_t>());
    }
    std::ranges::sort(entries, {}, [](const Entry &e) { return std::pair(e.begin, e.end); });
    uint64_t end = 0;
    for (Entry &entry : entries) {
        if (entry.begin != end)
            return Error{"has tensors with a gap between them, or that overlap"};
        end = entry.end;
        entry.tensor.values.resize((entry.end - entry.begin) / sizeof(float));
        if (entry.end > entry.begin)
            std::memcpy(entry.tensor.values.data(), data.data() + entry.begin,
                        entry.end - entry.begin);
        out.tensors[entry.name] = std::move(entry.tensor);
    }
    if (end != data.size()) return Error{"was cut off, or has bytes after its last tensor"};
    return out;
}

}  // namespace cryolite
