// The extension module actkit._actkit. The package around it gives the names that people use.
#include "common.h"

PYBIND11_MODULE(_actkit, m) {
  using namespace act::python;
  m.doc() = "Bindings of the actkit libraries; use the package actkit.";
  m.attr("__version__") = ACTKIT_VERSION;
  bind_diag(m);
  bind_numeric(m);
  bind_isa(m);
  bind_tables(m);
  bind_asm(m);
  bind_fit(m);
  bind_neff(m);
  bind_tile(m);
  bind_builder(m);
  bind_lowering(m);
  bind_sim(m);
}
