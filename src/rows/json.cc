#include "act/rows/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace act {
namespace {

Diagnostic field_error(Code code, const Field& f, std::string message, const Json& value, std::string allowed) {
  Diagnostic d = make_error(code, std::move(message));
  d.field = f.name;
  d.value = value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200);
  d.allowed = std::move(allowed);
  return d;
}

// An integer in [min, max]; JSON booleans and floats are refused.
Result<std::int64_t> integer_in(const Field& f, const Json& v, std::int64_t min, std::uint64_t max) {
  const std::string allowed = fmt::format("{}..{}", min, max);
  if (!v.is_number_integer()) return field_error(Code::json_type, f, "an integer is wanted", v, allowed);
  const bool fits = v.is_number_unsigned() ? v.get<std::uint64_t>() <= max
                                           : v.get<std::int64_t>() >= min &&
                                                 (v.get<std::int64_t>() < 0 || static_cast<std::uint64_t>(v.get<std::int64_t>()) <= max);
  if (!fits) return field_error(Code::bad_value, f, "the number does not fit", v, allowed);
  return v.is_number_unsigned() ? static_cast<std::int64_t>(v.get<std::uint64_t>()) : v.get<std::int64_t>();
}

Status put_list(MutableRecord r, const Field& f, const Json& v, const char* key, unsigned bit, std::int64_t min, std::uint64_t max) {
  const auto it = v.find(key);
  if (it == v.end()) return field_error(Code::json_missing, f, fmt::format("the member {} is absent", key), v, "addr, step, num");
  if (!it->is_array() || it->size() != f.dims)
    return field_error(Code::json_type, f, fmt::format("{} has one number per dimension", key), *it, fmt::format("{} numbers", f.dims));
  for (unsigned d = 0; d < f.dims; ++d) {
    auto n = integer_in(f, (*it)[d], min, max);
    if (!n) return std::move(n).error();
    put_bits(r, bit + 16 * d, 16, static_cast<std::uint64_t>(*n));
  }
  return Done{};
}

Status put_word(MutableRecord r, const Field& f, const Json& v, const char* key, unsigned bit, unsigned width) {
  const auto it = v.find(key);
  if (it == v.end()) return field_error(Code::json_missing, f, fmt::format("the member {} is absent", key), v, key);
  auto n = integer_in(f, *it, 0, detail::width_mask(width));
  if (!n) return std::move(n).error();
  put_bits(r, bit, width, static_cast<std::uint64_t>(*n));
  return Done{};
}

Status tensor_from_json(MutableRecord r, const Field& f, const Json& v) {
  if (!v.is_object()) return field_error(Code::json_type, f, "a descriptor is an object", v, "{\"addr\",\"step\",\"num\"}");
  if (v.contains("index_addr")) {
    if (!f.indirect || f.dims < 3) return field_error(Code::bad_value, f, "this slot has no gather form", v, "{\"addr\",\"step\",\"num\"}");
    std::fill_n(r.begin() + f.byte(), f.bytes(), std::uint8_t{0});
    if (Status s = put_word(r, f, v, "index_addr", f.bit, 32); !s) return s;
    if (Status s = put_word(r, f, v, "data_addr", f.bit + 32, 32); !s) return s;
    return put_word(r, f, v, "count", f.bit + 64, 16);
  }
  if (Status s = put_word(r, f, v, "addr", f.bit, 32); !s) return s;
  if (Status s = put_list(r, f, v, "step", f.bit + 32, -32768, 32767); !s) return s;
  return put_list(r, f, v, "num", f.bit + 32 + 16 * f.dims, 0, 65535);
}

Json tensor_to_json(Record r, const Field& f) {
  if (indirect_is_exact(r, f)) {
    const IndirectView v = get_indirect(r, f);
    return {{"index_addr", v.index_addr}, {"data_addr", v.data_addr}, {"count", v.count}};
  }
  const TensorView t = get_tensor(r, f);
  Json step = Json::array(), num = Json::array();
  for (unsigned d = 0; d < t.dims; ++d) {
    step.push_back(t.step[d]);
    num.push_back(t.num[d]);
  }
  return {{"addr", t.addr}, {"step", std::move(step)}, {"num", std::move(num)}};
}

Status bytes_from_json(MutableRecord r, const Field& f, const Json& v) {
  const std::string allowed = fmt::format("{} hex digits", 2 * f.bytes());
  if (!v.is_string()) return field_error(Code::json_type, f, "bytes are hex text", v, allowed);
  auto raw = from_hex(v.get_ref<const std::string&>());
  if (!raw || raw->size() != f.bytes()) return field_error(Code::bad_value, f, "the hex text has another length or other characters", v, allowed);
  std::copy(raw->begin(), raw->end(), r.begin() + f.byte());
  return Done{};
}

Status nibbles_from_json(MutableRecord r, const Field& f, const Json& v) {
  if (v.is_number_integer()) {
    auto n = integer_in(f, v, 0, 255);
    if (!n) return std::move(n).error();
    put(r, f, static_cast<std::uint64_t>(*n));
    return Done{};
  }
  if (!v.is_object()) return field_error(Code::json_type, f, "a pair is an object", v, "{\"lo\",\"hi\"}");
  for (const auto& [key, bit] : {std::pair{"lo", f.bit}, std::pair{"hi", f.bit + 4}}) {
    const auto it = v.find(key);
    if (it == v.end()) return field_error(Code::json_missing, f, fmt::format("the member {} is absent", key), v, "{\"lo\",\"hi\"}");
    auto code = choice_from_json(*f.choices, *it, 4);
    if (!code) {
      code.error()[0].field = f.name;
      return std::move(code).error();
    }
    put_bits(r, bit, 4, *code);
  }
  return Done{};
}

}  // namespace

Json choice_to_json(const EnumTable& table, std::uint64_t value) {
  const Choice* c = table.find(value);
  return c != nullptr ? Json(c->name) : Json(value);
}

Result<std::uint64_t> choice_from_json(const EnumTable& table, const Json& value, unsigned width) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= detail::width_mask(width)) return value.get<std::uint64_t>();
  if (value.is_string()) {
    const Choice* c = table.find(std::string_view(value.get_ref<const std::string&>()));
    if (c != nullptr && c->value <= detail::width_mask(width)) return c->value;
  }
  const bool known = value.is_string() && table.find(std::string_view(value.get_ref<const std::string&>())) != nullptr;
  Diagnostic d = make_error(value.is_string() && !known ? Code::unknown_name : Code::bad_value,
                            known ? fmt::format("this enumerator of {} has a code of more than {} bits", table.name, width) : fmt::format("no enumerator of {}", table.name));
  d.value = value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200);
  for (const Choice& c : table.choices)
    if (c.value <= detail::width_mask(width)) d.allowed += fmt::format("{}{}", d.allowed.empty() ? "" : ", ", c.name);
  return d;
}

Json field_to_json(Record r, const Field& f) {
  switch (f.kind) {
    case Kind::tensor: return tensor_to_json(r, f);
    case Kind::bytes:
    case Kind::text: return to_hex(bytes_of(r, f));
    case Kind::enumerator: return choice_to_json(*f.choices, get(r, f));
    case Kind::sinteger: return static_cast<std::int64_t>(get(r, f));
    case Kind::nibbles: {
      const std::uint64_t pair = get(r, f);
      return {{"lo", choice_to_json(*f.choices, pair & 15)}, {"hi", choice_to_json(*f.choices, pair >> 4)}};
    }
    case Kind::integer:
    case Kind::f32:
    case Kind::address:
    case Kind::immediate:
    case Kind::wide_immediate: break;
  }
  return get(r, f);
}

Status field_from_json(MutableRecord r, const Field& f, const Json& v) {
  switch (f.kind) {
    case Kind::tensor: return tensor_from_json(r, f, v);
    case Kind::bytes:
    case Kind::text: return bytes_from_json(r, f, v);
    case Kind::nibbles: return nibbles_from_json(r, f, v);
    case Kind::enumerator: {
      auto code = choice_from_json(*f.choices, v, f.width);
      if (!code) {
        code.error()[0].field = f.name;
        return std::move(code).error();
      }
      put(r, f, *code);
      return Done{};
    }
    case Kind::sinteger:
    case Kind::integer:
    case Kind::f32:
    case Kind::address:
    case Kind::immediate:
    case Kind::wide_immediate: break;
  }
  const bool is_signed = f.kind == Kind::sinteger;
  const std::uint64_t max = is_signed ? detail::width_mask(f.width - 1) : detail::width_mask(f.width);
  auto n = integer_in(f, v, is_signed ? -static_cast<std::int64_t>(max) - 1 : 0, max);
  if (!n) return std::move(n).error();
  put(r, f, static_cast<std::uint64_t>(*n));
  return Done{};
}

Json fields_to_json(Record r, const Format& format) {
  Json out = Json::object();
  for (const Field& f : format.fields) out[std::string(f.name)] = field_to_json(r, f);
  for (const Reserved& range : format.reserved) {
    const Record bytes = r.subspan(range.byte, range.bytes);
    if (std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b != 0; }))
      out[fmt::format("reserved_{}", range.byte)] = to_hex(bytes);
  }
  return out;
}

Status fields_from_json(MutableRecord r, const Format& format, const Json& object, bool ignore_unknown) {
  Diagnostics errors;
  const auto keep = [&errors](Status s) {
    if (!s) std::move(s.error().begin(), s.error().end(), std::back_inserter(errors));
  };
  for (const auto& item : object.items()) {
    const std::string& key = item.key();
    const Json& value = item.value();
    if (const Field* f = format.find(key)) {
      keep(field_from_json(r, *f, value));
      continue;
    }
    const auto range = std::find_if(format.reserved.begin(), format.reserved.end(),
                                    [&](const Reserved& x) { return key == fmt::format("reserved_{}", x.byte); });
    if (range != format.reserved.end()) {
      const Field as_bytes{.name = key, .type = "bytes", .bit = range->byte * 8, .width = range->bytes * 8, .kind = Kind::bytes};
      keep(bytes_from_json(r, as_bytes, value));
    } else if (!ignore_unknown) {
      Diagnostic d = make_error(Code::unknown_field, fmt::format("format {} has no field of this name", format.name));
      d.field = key.substr(0, 100);
      errors.push_back(std::move(d));
    }
  }
  if (!errors.empty()) return errors;
  return Done{};
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out(2 * bytes.size(), '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[2 * i] = kDigits[bytes[i] >> 4];
    out[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return out;
}

Result<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::vector<std::uint8_t> out(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int d = digit(text[i]);
    if (d < 0 || text.size() % 2 != 0) {
      Diagnostic error = make_error(Code::bad_value, "the text is no sequence of hex bytes");
      error.value = std::string(text.substr(0, 200));
      return error;
    }
    out[i / 2] = static_cast<std::uint8_t>(out[i / 2] << 4 | d);
  }
  return out;
}

}  // namespace act
