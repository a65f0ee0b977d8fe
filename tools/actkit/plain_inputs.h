// Numbers on the command line that look like options.
#pragma once

#include <string>
#include <vector>

namespace act::tool {

// The arguments of `pwp eval` in a form that the parser cannot take for options: negative numbers that begin with a
// letter or a point (-inf) as bit patterns, and no -- between inputs. Other arguments stay as they are.
std::vector<std::string> with_plain_inputs(std::vector<std::string> arguments);

}  // namespace act::tool
