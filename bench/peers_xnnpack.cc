#include "peers.h"
#if ACTKIT_HAVE_XNNPACK
#include <xnnpack.h>
#endif

namespace act::bench {

#if ACTKIT_HAVE_XNNPACK
bool have_xnnpack() {
  static const bool ready = xnn_initialize(nullptr) == xnn_status_success;
  return ready;
}
void xnnpack_sigmoid(const float* in, float* out, std::size_t n) {
  static xnn_operator_t op = [] {
    xnn_operator_t made = nullptr;
    xnn_create_sigmoid_nc_f32(1, 1, 1, 0, &made);
    return made;
  }();
  xnn_setup_sigmoid_nc_f32(op, n, in, out, nullptr);
  xnn_run_operator(op, nullptr);
}
#else
bool have_xnnpack() { return false; }
void xnnpack_sigmoid(const float*, float*, std::size_t) {}
#endif

}  // namespace act::bench
