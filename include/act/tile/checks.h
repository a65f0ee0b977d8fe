// The checks of a commit, in the order they are made (04 section 7.2).
#pragma once

#include <string>

#include "act/tile/state.h"

namespace act::tile {

struct CommitCheck {
  unsigned number;
  std::string_view condition;
  Fault fault;  // none: the condition ends the commit successfully with nothing done
};

inline constexpr CommitCheck kCommitChecks[] = {
    {1, "a block is open", Fault::bundle_control},
    {2, "the continuation address is even", Fault::instruction_pc},
    {3, "a mask 0000 was seen and nothing is bound: strict no-op", Fault::none},
    {4, "no Shared tile is bound", Fault::tile_legality},
    {5, "every binding has mask 0000: strict no-op", Fault::none},
    {6, "one source and one destination in all, the last B.IOT has <last>, B.IOR absent or all zero",
     Fault::bundle_control},
    {7, "B.DATR sets the padding only", Fault::tile_legality},
    {8, "source and destination stand in one B.IOT", Fault::tile_legality},
    {9, "LB0 is set; LB0, LB1 and LB2 are 1..65535 where set", Fault::tile_legality},
    {10, "the data type is one that TRELU takes", Fault::tile_legality},
    {11, "a register of the destination hand is free", Fault::tile_allocation},
    {12, "capacity in use plus the new tile's is at most TILE_CAPACITY", Fault::tile_allocation},
    {13, "the destination has a legal shape", Fault::tile_allocation},
    {14, "the source is an allocated numeric tile with a legal, indexable descriptor", Fault::tile_legality},
    {15, "every valid source element is defined", Fault::tile_legality},
    {16, "source and destination agree in shape, valid rectangle, layout, storage and type",
     Fault::tile_legality},
    {17, "the source is row-major", Fault::tile_legality},
    {18, "every valid source element is a valid encoding", Fault::tile_legality},
};

// Check `number` (1..18) failed.
inline Refusal refuse(unsigned number, std::string why) {
  return {kCommitChecks[number - 1].fault, number, std::move(why)};
}

}  // namespace act::tile
