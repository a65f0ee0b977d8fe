// Tile blocks as text (04 section 2): every accepted spelling is read, one is written.
#pragma once

#include <string>
#include <string_view>

#include "act/files/files.h"
#include "act/tile/command.h"

namespace act::tile {

// The canonical line of a command. A command with bits that the text has no place for (those a B.IOT without
// destination does not look at) becomes a ".bytes" line with the command as its comment.
std::string command_text(const Command& command);
// ".bytes 91917109": bytes in memory order; assembles to itself.
std::string raw_text(Record bytes);

// One command of a stream, or bytes that are none.
struct Line {
  std::uint64_t offset = 0, index = 0;
  Record bytes;                    // into the stream
  std::optional<Command> command;  // nothing when the bytes do not decode
  Diagnostics problems;            // why not, as warnings
};
// The line at an offset below the stream's size; with offset + bytes.size() as the next offset, lines cover
// any stream. The stream must outlive the line.
Line line_at(Record stream, std::uint64_t offset, std::uint64_t index);
std::string line_text(const Line& line);
// One JSON line: index, offset, then as to_json(Command), or "opcode":null, "bytes" and "diagnostics".
std::string line_json(const Line& line);
// The canonical text of a whole stream, one line a command.
std::string disassemble(Record stream);

// Text to a stream. All errors are returned (tile-syntax, with line and column), at most 100. Warning:
// tile-late-attribute.
Result<Bytes> assemble(std::string_view text, Diagnostics& warnings);
// The same from JSON lines as line_json writes them; a line with "opcode":null stands for its bytes.
Result<Bytes> assemble_json(std::string_view lines);

}  // namespace act::tile
