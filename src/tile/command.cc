#include "act/tile/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "act/rows/check.h"
#include "act/tile/operation.h"

namespace act::tile {
namespace {

// The first field with a value that its row does not allow.
const Field* forbidden_field(Record bytes, const Format& format) {
  for (const Field& f : format.fields)
    if (!f.allows(act::get(bytes, f))) return &f;
  return nullptr;
}

std::string_view selector_note(std::uint64_t selector) {
  const bool hole =
      std::find(std::begin(kSelectorHoles), std::end(kSelectorHoles), selector) != std::end(kSelectorHoles);
  return hole ? "the selector is a hole of the catalog"
              : "the selector is of no operation that this model has";
}

Diagnostic reserved_code(const Form& form, const Field& field, Record bytes) {
  const std::uint64_t value = act::get(bytes, field);
  Diagnostic d =
      make_error(Code::tile_encoding, field.choices == &kSelectorTable
                                          ? std::string(selector_note(value))
                                          : fmt::format("{} {} is reserved", form.mnemonic, field.name));
  d.field = field.name;
  d.value = fmt::format("{}", value);
  d.allowed = allowed_values(field);
  d.where.byte = field.byte();
  return d;
}

}  // namespace

std::optional<std::uint64_t> Command::get(std::string_view field) const {
  const Field* f = form_->format.find(field);
  if (f == nullptr) return std::nullopt;
  return act::get(bytes_, *f);
}

Command& Command::set(std::string_view field, std::uint64_t value) {
  put(bytes_, *form_->format.find(field), value);
  return *this;
}

std::uint32_t Command::uimm17() const {
  return static_cast<std::uint32_t>(get("uimm_16_12").value_or(0) << 12 | get("uimm_11_0").value_or(0));
}

Result<Command> decode(Record bytes) {
  const unsigned length = bytes.empty() ? 2 : command_length(bytes[0]);
  if (bytes.size() < length) {
    Diagnostic d = make_error(Code::bad_size, "the stream ends inside a command");
    d.value = fmt::format("{} bytes", bytes.size());
    d.allowed = fmt::format("{} bytes", length);
    return d;
  }
  const Form* best = nullptr;
  Diagnostics refused;
  for (const Form& form : forms()) {
    if (form.format.bytes != length || !matches(bytes, form.format)) continue;
    if (const Field* field = forbidden_field(bytes, form.format))
      refused.push_back(reserved_code(form, *field, bytes));
    else if (best == nullptr ||
             std::popcount(fixed_mask(form.format)) > std::popcount(fixed_mask(best->format)))
      best = &form;
  }
  if (best != nullptr) {
    Command c(*best);
    std::copy_n(bytes.begin(), length, c.bytes_.begin());
    return c;
  }
  if (!refused.empty()) return refused;
  Diagnostic d = make_error(Code::tile_encoding, "the word is no block command");
  d.value = to_hex(bytes.first(length));
  return d;
}

Result<Command> decode_word(std::uint64_t word, unsigned length) {
  std::array<std::uint8_t, 8> bytes{};
  put_bits(bytes, 0, 64, word);
  return decode(Record(bytes).first(std::min(length, 8u)));
}

Json to_json(const Command& c) {
  return {{"opcode", c.form().mnemonic},
          {"format", c.form().format.name},
          {"fields", fields_to_json(c.bytes(), c.form().format)},
          {"bytes", to_hex(c.bytes())}};
}

namespace {

// The form that an object names.
Result<const Form*> form_from_json(const Json& object) {
  const char* key = object.contains("format") ? "format" : "opcode";
  const auto name = object.find(key);
  if (name == object.end()) return make_error(Code::json_missing, "a command needs \"format\" or \"opcode\"");
  if (!name->is_string()) return make_error(Code::json_type, fmt::format("\"{}\" is a string", key));
  const auto& text = name->get_ref<const std::string&>();
  const Form* found = nullptr;
  bool several = false;
  for (const Form& form : forms())
    if (form.format.name == text || form.mnemonic == text) {
      several = found != nullptr;
      found = &form;
      if (form.format.name == text) break;
    }
  if (found != nullptr && !several) return found;
  Diagnostic d = make_error(Code::unknown_name, several ? "the opcode has several formats; give \"format\""
                                                        : "no block command has this name");
  d.value = text.substr(0, 100);
  for (const Form& form : forms())
    d.allowed += fmt::format("{}{}", d.allowed.empty() ? "" : ", ", form.format.name);
  return d;
}

}  // namespace

Result<Command> command_from_json(const Json& object) {
  if (!object.is_object()) return make_error(Code::json_type, "a command is an object");
  const auto form = form_from_json(object);
  if (!form) return form.error();
  std::array<std::uint8_t, 8> bytes{};
  const MutableRecord record = MutableRecord(bytes).first((*form)->format.bytes);
  if (const auto fields = object.find("fields"); fields != object.end()) {
    if (!fields->is_object()) return make_error(Code::json_type, "\"fields\" is an object");
    if (Status s = fields_from_json(record, (*form)->format, *fields); !s) return std::move(s).error();
  }
  put_fixed(record, (*form)->format);
  // Checked before decoding, which could find another form for the same bits.
  if (const Field* field = forbidden_field(record, (*form)->format))
    return reserved_code(**form, *field, record);
  return decode(record);
}

}  // namespace act::tile
