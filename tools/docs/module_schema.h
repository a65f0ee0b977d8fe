// docs/module.schema.json: the JSON form of modules as a JSON Schema (draft 2020-12), made from the rows that the reader uses.
#pragma once

#include <string>

namespace act::tool {

std::string module_schema();

}  // namespace act::tool
