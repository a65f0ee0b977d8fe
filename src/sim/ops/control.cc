// Control: 0x9F, 0xA1 to 0xA4, 0xA6 do nothing but their events; Halt ends the stream. 0x95 keeps a list of libraries.
#include <fmt/format.h>

#include "ops.h"

namespace act::sim::ops {

void engine_nop(Exec&, const CtrlIm&) {}
void nothing(Exec&, const CtrlNo&) {}
void halt(Exec& x, const CtrlNo&) { x.halt(); }

void modify_pool_config(Exec& x, const ModifyPoolConfig& i) {
  switch (i.modify_op) {
    case ModifyPoolOp::LoadLib:
      x.machine.libraries[i.library_index] = {i.soc_addr, i.library_size, i.core_mask};
      x.note = fmt::format("loads library {}", i.library_index);
      return;
    case ModifyPoolOp::UnloadLib:
      if (x.machine.libraries.erase(i.library_index) == 0) x.warn(Code::bad_value, "no library is loaded there", "library_index", std::to_string(i.library_index));
      return;
    case ModifyPoolOp::Invalid: break;
  }
  x.fail(Code::bad_value, "neither load nor unload", "modify_op");
}

}  // namespace act::sim::ops
