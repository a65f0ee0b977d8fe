// wait and update clauses of a line.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "asm/line_parser.h"

namespace act::text {
namespace {

constexpr std::size_t kWaitMode = 4, kWaitIndex = 5, kUpdateMode = 6, kUpdateIndex = 7, kSyncValue = 8, kSecondWait = 32;

bool is_operator_char(char c) { return c == '=' || c == '<' || c == '>' || c == '+' || c == '-'; }

}  // namespace

bool LineParser::set_sync_value(std::uint32_t v, std::string_view writer, const char* from) {
  std::uint32_t old = 0;
  std::memcpy(&old, bundle_->bytes.data() + kSyncValue, sizeof old);
  if (!sync_writer_.empty() && old != v) {
    if (writer == "sync_value" || sync_writer_ == "sync_value") return conflict(from, "sync_value", sync_writer_, writer);
    return fail(from, Code::bad_value, "wait and update share one value, and this one differs", "sync_value", fmt::format("{}", old));
  }
  sync_writer_ = writer;
  std::memcpy(bundle_->bytes.data() + kSyncValue, &v, sizeof v);
  return true;
}

// A byte of the modes and indexes; a field written under its own name must say the same.
bool LineParser::set_event_byte(std::size_t byte, std::uint8_t v, const char* from) {
  constexpr std::string_view kNames[] = {"wait_mode", "wait_idx", "update_mode", "update_idx"};
  const std::uint8_t before = std::exchange(bundle_->bytes[byte], v);
  event_clauses_ |= 1U << byte;
  if ((event_fields_ >> byte & 1) == 0 || before == v) return true;
  const std::string_view name = kNames[byte - kWaitMode];
  return conflict(from, name, name, byte < kUpdateMode ? "the wait" : "the update");
}

bool LineParser::event_operand(EventOperand kind, std::string_view writer, const char* from) {
  if (kind == EventOperand::none) return true;
  std::uint64_t v = 0;
  if (kind == EventOperand::reg && (word() != "reg" || !expect('['))) return false;
  if (!unsigned_in(v, 0xFFFFFFFFU, "sync_value")) return false;
  if (kind == EventOperand::reg && !expect(']')) return false;
  return set_sync_value(static_cast<std::uint32_t>(v), writer, from);
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
  return event_operand(form.operand, "the wait", from) && set_event_byte(kWaitMode, static_cast<std::uint8_t>(form.mode), from) &&
         set_event_byte(kWaitIndex, index, from);
}

// EVENT_SEMAPHORE has room for one more wait in its payload (01 section 2.4).
bool LineParser::set_second_wait(std::uint8_t index, const char* from) {
  const auto payload = static_cast<std::size_t>(plan_->names.find("payload"));
  if (!mark_given(plan_->operands[static_cast<std::size_t>(plan_->targets[payload].first)], from)) return false;
  std::uint64_t v = 0;
  if (!unsigned_in(v, 0xFFFFFFFFU, "payload")) return false;
  std::uint8_t* const second = bundle_->bytes.data() + kSecondWait;
  second[0] = static_cast<std::uint8_t>(WaitMode::SEM_GE_IMM);
  second[1] = index;
  const auto value = static_cast<std::uint32_t>(v);
  std::memcpy(second + 4, &value, sizeof value);
  return true;
}

bool LineParser::set_update(const UpdateForm& form, std::uint8_t index, const char* from) {
  return event_operand(form.operand, "the update", from) && set_event_byte(kUpdateMode, static_cast<std::uint8_t>(form.mode), from) &&
         set_event_byte(kUpdateIndex, index, from);
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
    return set_event_byte(kWaitMode, static_cast<std::uint8_t>(WaitMode::UNORDERED), before);
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
    if (wait_given_ && bundle_->opcode() == static_cast<std::uint8_t>(Opcode::EVENT_SEMAPHORE)) return set_second_wait(index, from);
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
