// wait and update clauses of a line.
#include <fmt/format.h>

#include <algorithm>

#include "asm/line_parser.h"

namespace act::text {
namespace {

constexpr std::size_t kWaitMode = 4, kWaitIndex = 5, kUpdateMode = 6, kUpdateIndex = 7, kSyncValue = 8;

bool is_operator_char(char c) { return c == '=' || c == '<' || c == '>' || c == '+' || c == '-'; }

}  // namespace

bool LineParser::set_sync_value(std::uint32_t v, const char* from) {
  std::uint32_t old = 0;
  std::memcpy(&old, bundle_->bytes.data() + kSyncValue, sizeof old);
  if (sync_given_ && old != v)
    return fail(from, Code::bad_value, "wait and update share one value, and this one differs", "sync_value", fmt::format("{}", old));
  sync_given_ = true;
  std::memcpy(bundle_->bytes.data() + kSyncValue, &v, sizeof v);
  return true;
}

bool LineParser::event_operand(EventOperand kind, const char* from) {
  if (kind == EventOperand::none) return true;
  std::uint64_t v = 0;
  if (kind == EventOperand::reg && (word() != "reg" || !expect('['))) return false;
  if (!unsigned_in(v, 0xFFFFFFFFU, "sync_value")) return false;
  if (kind == EventOperand::reg && !expect(']')) return false;
  return set_sync_value(static_cast<std::uint32_t>(v), from);
}

bool LineParser::event_place(bool& event, std::uint8_t& index) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view name = word();
  if (name != "sem" && name != "event") return fail(from, Code::text_syntax, "sem[n] or event[n] is wanted here");
  event = name == "event";
  std::uint64_t n = 0;
  if (!expect('[') || !unsigned_in(n, 255, event ? "event" : "semaphore") || !expect(']')) return false;
  index = static_cast<std::uint8_t>(n);
  return true;
}

bool LineParser::set_wait(const WaitForm& form, std::uint8_t index, const char* from) {
  if (!event_operand(form.operand, from)) return false;
  bundle_->bytes[kWaitMode] = static_cast<std::uint8_t>(form.mode);
  bundle_->bytes[kWaitIndex] = index;
  return true;
}

bool LineParser::set_update(const UpdateForm& form, std::uint8_t index, const char* from) {
  if (!event_operand(form.operand, from)) return false;
  bundle_->bytes[kUpdateMode] = static_cast<std::uint8_t>(form.mode);
  bundle_->bytes[kUpdateIndex] = index;
  return true;
}

LineParser::Clause LineParser::clause() {
  skip_blanks();
  const char* const from = at_;
  if (at_ != end_ && is_operator_char(*at_)) {
    while (at_ != end_ && is_operator_char(*at_)) ++at_;
  } else {
    word();
  }
  const std::string_view words(from, static_cast<std::size_t>(at_ - from));
  skip_blanks();
  return {words, std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("reg[")};
}

namespace {

// The form with these words and this kind of operand; nullptr when there is none.
template <class Form>
const Form* find_form(std::span<const Form> forms, bool event, std::string_view words, bool from_register) {
  for (const Form& form : forms) {
    const bool operand_fits = form.operand == EventOperand::none || (form.operand == EventOperand::reg) == from_register;
    if (form.event == event && form.words == words && operand_fits) return &form;
  }
  return nullptr;
}

}  // namespace

bool LineParser::wait_clause(const char* from) {
  if (wait_given_) return fail(from, Code::duplicate_name, "a second wait", "wait_mode");
  wait_given_ = true;
  const char* const before = at_;
  if (word() == "unordered") {
    bundle_->bytes[kWaitMode] = static_cast<std::uint8_t>(WaitMode::UNORDERED);
    return true;
  }
  at_ = before;
  bool event = false;
  std::uint8_t index = 0;
  if (!event_place(event, index)) return false;
  const Clause c = clause();
  if (const WaitForm* form = find_form(wait_forms(), event, c.words, c.from_register)) return set_wait(*form, index, c.words.data());
  return fail(c.words.data(), Code::text_syntax, "no such condition", "wait_mode",
              event ? "set, set_then_clear, clear, clear_then_set" : "==, <, <=, >, >= and a number or reg[n]");
}

bool LineParser::update_clause(bool on_read, const char* from) {
  if (update_given_) return fail(from, Code::duplicate_name, "a second update", "update_mode");
  update_given_ = true;
  bool event = false;
  std::uint8_t index = 0;
  if (!event_place(event, index)) return false;
  const Clause c = clause();
  const UpdateForm* form = find_form(on_read ? read_update_forms() : complete_update_forms(), event, c.words, c.from_register);
  if (form != nullptr) return set_update(*form, index, c.words.data());
  return fail(c.words.data(), Code::text_syntax, "no such update", "update_mode", event ? "set, clear" : "++, --, and +=, -=, = with a number or reg[n]");
}

// The vendor profiler's "S[6] (Vector)>=5" and "S[4] (Scalar)++@complete"; `from` is at the S.
bool LineParser::profiler_event(const char* from) {
  std::uint64_t index = 0;
  if (!expect('[') || !unsigned_in(index, 255, "semaphore") || !expect(']')) return false;
  if (accept('(')) {
    at_ = std::find(at_, end_, ')');
    if (!expect(')')) return false;
  }
  return profiler_event_rest(static_cast<std::uint8_t>(index), from);
}

bool LineParser::profiler_event_rest(std::uint8_t index, const char* from) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  constexpr std::string_view kIncrement = "++@complete";
  if (rest.starts_with(">=")) {
    at_ += 2;
    if (wait_given_) return fail(from, Code::duplicate_name, "a second wait", "wait_mode");
    wait_given_ = true;
    constexpr WaitForm kAtLeast{WaitMode::SEM_GE_IMM, false, ">=", EventOperand::value};
    return set_wait(kAtLeast, index, from);
  }
  if (rest.starts_with(kIncrement)) {
    at_ += kIncrement.size();
    if (update_given_) return fail(from, Code::duplicate_name, "a second update", "update_mode");
    update_given_ = true;
    constexpr UpdateForm kPlusOne{UpdateMode::SEM_INC_COMPLETE, false, false, "++", EventOperand::none};
    return set_update(kPlusOne, index, from);
  }
  return fail(from, Code::text_syntax, "no such wait or update", {}, "S[n]>=value, S[n]++@complete");
}

}  // namespace act::text
