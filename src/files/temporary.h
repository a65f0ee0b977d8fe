// Files and directories under a temporary name beside their target, with the permissions the target will have.
#pragma once

#include <sys/types.h>

#include <string>

namespace act {

// A new file in the directory of `path`, open for writing; `name` receives its name. It has the mode of the regular file at `path`, or,
// where there is none, what the process's umask leaves of 0666. -1 with errno set when it cannot be made.
int open_temporary(const std::string& path, std::string& name);

// The same for a directory: what the umask leaves of 0777. False with errno set when it cannot be made.
bool make_temporary_directory(const std::string& path, std::string& name);

// Permission bits of `path`, or -1 where nothing is.
int mode_of(const std::string& path);

}  // namespace act
