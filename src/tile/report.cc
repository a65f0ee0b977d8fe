#include "act/tile/report.h"

#include <fmt/format.h>

namespace act::tile {
namespace {

std::string element_text(const State& state, unsigned index, std::uint32_t row, std::uint32_t column) {
  const auto value = read_element(state, index, row, column);
  if (!value) return "undef";
  return fmt::format("{:0{}x}", *value, (state.tiles[index].shape.type->bits + 3) / 4);
}

std::string row_text(const State& state, unsigned index, std::uint32_t row) {
  const Descriptor& d = state.tiles[index].shape;
  const std::uint32_t valid = row < d.valid_rows ? d.valid_columns : 0;
  std::string out;
  for (std::uint32_t c = 0; c < d.columns; ++c) {
    if (c == valid) out += " |";
    out += ' ';
    out += element_text(state, index, row, c);
  }
  return out;
}

std::string status_text(std::uint8_t status) {
  std::string out;
  for (std::size_t i = 0; i < std::size(kStatusNames); ++i)
    if (status >> i & 1) out += fmt::format("{}{}", out.empty() ? "" : " ", kStatusNames[i]);
  return out.empty() ? "none" : out;
}

}  // namespace

std::string tile_text(const State& state, unsigned index) {
  const Register& tile = state.tiles[index];
  const Descriptor& d = tile.shape;
  if (!tile.allocated) return register_name(index) + ": not allocated\n";
  std::string out = fmt::format(
      "{}: {}, {} rows x {} columns, valid {} x {}, {}{}, {} bytes on each PE of {:04b}, valid elements {}\n",
      register_name(index), d.type->name, d.rows, d.columns, d.valid_rows, d.valid_columns,
      layout_name(d.layout), d.storage == Storage::predicate ? ", predicate" : "", d.capacity_bytes,
      tile.mask, tile.contents_defined() ? "defined" : "not all defined");
  for (std::uint32_t first = 0; first < d.rows;) {
    const std::string row = row_text(state, index, first);
    std::uint32_t next = first + 1;
    while (next < d.rows && row_text(state, index, next) == row) ++next;
    out += next == first + 1 ? fmt::format("  row {}:{}\n", first, row)
                             : fmt::format("  rows {}..{}:{}\n", first, next - 1, row);
    first = next;
  }
  return out;
}

Json tile_json(const State& state, unsigned index) {
  const Register& tile = state.tiles[index];
  const Descriptor& d = tile.shape;
  Json out{{"register", register_name(index)}, {"index", index}, {"allocated", tile.allocated}};
  if (!tile.allocated) return out;
  out.update(Json{{"data_type", d.type->name},
                  {"storage", d.storage == Storage::numeric ? "numeric" : "predicate"},
                  {"layout", layout_name(d.layout)},
                  {"capacity_bytes", d.capacity_bytes},
                  {"mask", fmt::format("{:04b}", tile.mask)},
                  {"rows", d.rows},
                  {"columns", d.columns},
                  {"valid_rows", d.valid_rows},
                  {"valid_columns", d.valid_columns},
                  {"contents_defined", tile.contents_defined()}});
  Json rows = Json::array();
  for (std::uint32_t r = 0; r < d.rows; ++r) {
    Json row = Json::array();
    for (std::uint32_t c = 0; c < d.columns; ++c)
      row.push_back(element_defined(state, index, r, c) ? Json(element_text(state, index, r, c))
                                                        : Json(nullptr));
    rows.push_back(std::move(row));
  }
  out["elements"] = std::move(rows);
  return out;
}

std::string state_text(const State& state) {
  std::string out = fmt::format("pc 0x{:x}, block {}, status {}, {} of {} bytes in use\n", state.pc,
                                state.block.active ? "open" : "closed", status_text(state.status),
                                state.core_charge(), state.tile_capacity);
  if (state.last_fault != Fault::none)
    out += fmt::format("last fault {} at 0x{:x}\n", fault_name(state.last_fault), state.fault_address);
  for (unsigned i = 0; i < kRegisters; ++i)
    if (state.tiles[i].allocated) out += tile_text(state, i);
  return out;
}

Json state_json(const State& state) {
  Json status = Json::object();
  for (std::size_t i = 0; i < std::size(kStatusNames); ++i)
    status[std::string(kStatusNames[i])] = state.status >> i & 1;
  Json out{{"pc", state.pc},
           {"block_active", state.block.active},
           {"status", std::move(status)},
           {"core_state", state.core_state()},
           {"charge_bytes", state.core_charge()},
           {"tile_capacity", state.tile_capacity},
           {"last_fault", nullptr},
           {"tiles", Json::array()}};
  if (state.last_fault != Fault::none)
    out["last_fault"] = {{"fault", fault_name(state.last_fault)},
                         {"trap", trap_number(state.last_fault)},
                         {"address", state.fault_address}};
  for (unsigned i = 0; i < kRegisters; ++i)
    if (state.tiles[i].allocated) out["tiles"].push_back(tile_json(state, i));
  return out;
}

Json step_json(const Step& step) {
  Json out{{"address", step.address}, {"offset", step.offset}, {"command", step.text}, {"fault", nullptr}};
  if (step.verdict) {
    out["fault"] = fault_name(step.verdict->fault);
    if (step.verdict->check != 0) out["check"] = step.verdict->check;
    out["reason"] = step.verdict->why;
  }
  return out;
}

Diagnostic fault_diagnostic(const Step& step) {
  const Refusal& r = *step.verdict;
  Diagnostic d = make_error(
      fault_code(r.fault),
      fmt::format("{} at address 0x{:x}, {}: {}", fault_name(r.fault), step.address, step.text, r.why));
  d.where.instruction = step.index;
  if (r.check != 0) d.rule = fmt::format("commit check {}", r.check);
  return d;
}

}  // namespace act::tile
