#include "act/tile/forms.h"

#include <array>

#include "act/tile/operation.h"
#include "act/tile/types.h"

namespace act::tile {
namespace {

// Types: their names as enumerators, so that the table of types stays the only list.
constexpr std::size_t kTypeCount = std::size(kTypes);
template <std::size_t N>
constexpr std::array<Choice, N> type_choices() {
  std::array<Choice, N> out{};
  for (std::size_t i = 0; i < kTypeCount; ++i) out[i] = {kTypes[i].name, kTypes[i].code};
  if (N > kTypeCount) out[kTypeCount] = {"DTYPE_NONE", kDtypeNone};
  return out;
}
constexpr auto kTypeChoices = type_choices<kTypeCount>();
constexpr auto kAttributeTypeChoices = type_choices<kTypeCount + 1>();

constexpr Choice kSelectorChoices[] = {{kTrelu.name, kTrelu.selector}};
constexpr Choice kLayoutChoices[] = {{"NORM", 0},   {"ND2DN", 1},   {"ND2ZN", 3},   {"ND2NZ", 4},
                                     {"DN2ND", 6},  {"DN2ZN", 8},   {"DN2NZ", 9},   {"ZN2ND", 17},
                                     {"ZN2DN", 18}, {"ZN2NZ", 20},  {"ND2M32", 21}, {"ND2M16", 22},
                                     {"ND2N8", 23}, {"M322ND", 24}, {"M162ND", 25}, {"N82ND", 26},
                                     {"NZ2ND", 27}, {"NZ2DN", 28},  {"NZ2ZN", 30}};
constexpr Choice kPadChoices[] = {{"Zero", 0}, {"Max", 1}, {"Min", 2}, {"Null", 3}};
constexpr Choice kCompareChoices[] = {{"EQ", 0}, {"NE", 1}, {"LT", 2}, {"GT", 3}, {"LE", 4}, {"GE", 5}};
constexpr Choice kRoundChoices[] = {{"Default", 0}, {"RNE", 1}, {"RTZ", 2}, {"RTM", 3},
                                    {"RTP", 4},     {"RNA", 5}, {"RTO", 6}, {"RHB", 7}};
constexpr Choice kDimensionChoices[] = {{"LB0", 0}, {"LB1", 1}, {"LB2", 2}};
constexpr Choice kGprChoices[] = {{"zero", 0}, {"sp", 1},  {"a0", 2},  {"a1", 3},  {"a2", 4},  {"a3", 5},
                                  {"a4", 6},   {"a5", 7},  {"a6", 8},  {"a7", 9},  {"ra", 10}, {"s0", 11},
                                  {"s1", 12},  {"s2", 13}, {"s3", 14}, {"s4", 15}, {"s5", 16}, {"s6", 17},
                                  {"s7", 18},  {"s8", 19}, {"x0", 20}, {"x1", 21}, {"x2", 22}, {"x3", 23}};
constexpr Choice kHandChoices[] = {{"T", 0}, {"U", 1}, {"M", 2}, {"N", 3}};
constexpr Choice kMaskChoices[] = {{"0000", 0}, {"1000", 1}, {"0100", 2}, {"0010", 3},
                                   {"0001", 4}, {"1100", 5}, {"1110", 6}, {"1111", 7}};
constexpr Choice kSharedSizeChoices[] = {
    {"source", 0}, {"128B", 1},  {"256B", 2},  {"512B", 3},   {"1KiB", 4},    {"2KiB", 5},   {"4KiB", 6},
    {"8KiB", 7},   {"16KiB", 8}, {"32KiB", 9}, {"64KiB", 10}, {"128KiB", 11}, {"256KiB", 12}};
constexpr std::span<const Choice> kSizeChoices = std::span<const Choice>(kSharedSizeChoices).subspan(1, 10);

constexpr Choice kPreQuantChoices[] = {{"0", 0},   {"1", 1},   {"2", 2},   {"3", 3},   {"4", 4},   {"5", 5},
                                       {"12", 12}, {"13", 13}, {"16", 16}, {"17", 17}, {"18", 18}, {"19", 19},
                                       {"20", 20}, {"23", 23}, {"24", 24}, {"25", 25}, {"26", 26}, {"27", 27},
                                       {"28", 28}, {"32", 32}, {"33", 33}, {"34", 34}, {"35", 35}, {"36", 36},
                                       {"37", 37}, {"38", 38}, {"39", 39}};
constexpr EnumTable kPreQuantTable{"pre_quant_mode", kPreQuantChoices,
                                   "Conversion before the result is stored."};
constexpr EnumTable kReluModeTable{"relu_mode", std::span<const Choice>(kPreQuantChoices).first(4),
                                   "Activation of a matrix result."};
constexpr Choice kGroupChoices[] = {{"0", 0},  {"8", 1},  {"16", 2}, {"32", 3},  {"48", 4},
                                    {"64", 5}, {"80", 6}, {"96", 7}, {"112", 8}, {"128", 9}};
constexpr EnumTable kGroupTable{"group_n", kGroupChoices, "Columns of one group maximum."};

}  // namespace

constexpr EnumTable kTypeTable{"data_type", kTypeChoices, "Data type of the tile elements."};
constexpr EnumTable kAttributeTypeTable{"attribute_data_type", kAttributeTypeChoices,
                                        "Second data type of an operation."};
constexpr EnumTable kSelectorTable{"selector", kSelectorChoices,
                                   "Mode and Function: which operation the block runs."};
constexpr EnumTable kLayoutTable{"layout", kLayoutChoices, "Layout conversion."};
constexpr EnumTable kPadTable{"pad", kPadChoices, "What padding elements are filled with."};
constexpr EnumTable kCompareTable{"cmode", kCompareChoices, "Comparison."};
constexpr EnumTable kRoundTable{"rmode", kRoundChoices, "Rounding."};
constexpr EnumTable kDimensionTable{"lb", kDimensionChoices, "Block dimension register."};
constexpr EnumTable kGprTable{"gpr", kGprChoices, "General register."};
constexpr EnumTable kHandTable{"hand", kHandChoices, "One of the four groups of 16 tile registers."};
constexpr EnumTable kMaskTable{"pe_mask", kMaskChoices, "Participating processing elements, PE0 first."};
constexpr EnumTable kSizeTable{"size_code", kSizeChoices, "Capacity per participating PE."};
constexpr EnumTable kSharedSizeTable{"shared_size_code", kSharedSizeChoices,
                                     "Source, or capacity per participating PE."};

namespace {

// One row of a form. Positions are bits of the command word.
constexpr Field number(std::string_view name, unsigned bit, unsigned width, std::string_view doc) {
  return {.name = name, .type = "uint", .bit = bit, .width = width, .doc = doc};
}
constexpr Field one_of(std::string_view name, unsigned bit, unsigned width, const EnumTable& choices,
                       std::string_view doc) {
  return {.name = name,
          .type = choices.name,
          .bit = bit,
          .width = width,
          .kind = Kind::enumerator,
          .choices = &choices,
          .doc = doc};
}

constexpr FixedBits kStartFixed[] = {{0, 20, 0x19181}};
constexpr Field kStartFields[] = {
    one_of("selector", 20, 7, kSelectorTable, "Function in bits 24..20, Mode in bits 26..25"),
    one_of("data_type", 27, 5, kTypeTable, "type of source and destination"),
};

constexpr FixedBits kDataAttributesFixed[] = {{0, 7, 0x23}, {12, 3, 1}, {18, 2, 0}};
constexpr Field kDataAttributesFields[] = {
    one_of("layout", 7, 5, kLayoutTable, "layout conversion; TRELU wants NORM"),
    one_of("rmode", 15, 3, kRoundTable, "rounding; TRELU wants Default"),
    one_of("data_type", 20, 5, kAttributeTypeTable, "second type; TRELU wants code 0 and never uses it"),
    number("canonicalize", 25, 1, "TRELU wants 0"),
    number("sat", 26, 1, "saturation; TRELU wants 0"),
    one_of("pad", 27, 2, kPadTable, "padding of the destination"),
    one_of("cmode", 29, 3, kCompareTable, "comparison; TRELU wants EQ"),
};

constexpr FixedBits kFixedPointFixed[] = {{0, 15, 0x2023}};
constexpr Field kFixedPointFields[] = {
    number("max_abs", 15, 1, "reduce absolute values"),
    number("row_max_init", 16, 1, "start the row maximum from a source"),
    number("group_max", 17, 1, "write group maxima"),
    number("row_max", 18, 1, "write row maxima"),
    one_of("group_n", 19, 4, kGroupTable, "columns of a group"),
    one_of("relu_mode", 23, 3, kReluModeTable, "activation"),
    one_of("pre_quant_mode", 26, 6, kPreQuantTable, "conversion"),
};

constexpr FixedBits kDimFixed[] = {{0, 7, 0x43}};
constexpr Field kDimFields[] = {
    number("uimm_16_12", 7, 5, "upper bits of the 17-bit immediate"),
    one_of("lb", 12, 3, kDimensionTable, "dimension register that is written"),
    one_of("reg_src", 15, 5, kGprTable, "register added to the immediate"),
    number("uimm_11_0", 20, 12, "lower bits of the immediate"),
};
constexpr FixedBits kDimiFixed[] = {{0, 6, 0x3C}};
constexpr Field kDimiFields[] = {
    number("imm8", 6, 8, "value written"),
    one_of("lb", 14, 2, kDimensionTable, "dimension register that is written"),
};

// B.IOT: the five forms share their rows and differ in which of them are present.
constexpr Field kDst = one_of("dst", 7, 2, kHandTable, "hand of the new tile");
constexpr Field kIgnored = number("ignored", 7, 2, "bits that the form does not look at");
constexpr Field kPeMode = one_of("pe_mode", 9, 3, kMaskTable, "participating processing elements");
constexpr Field kSizeCode = one_of("size_code", 15, 4, kSizeTable, "capacity of the new tile");
constexpr Field kLast = number("last", 19, 1, "1 closes the sequence of tile bindings");
constexpr Field kSrc0 = number("src0", 20, 6, "register of the first source");
constexpr Field kSrc1 = number("src1", 26, 6, "register of the second source");

constexpr FixedBits kIotSdFixed[] = {{0, 7, 0x13}, {12, 3, 5}, {26, 6, 0}};
constexpr Field kIotSdFields[] = {kDst, kPeMode, kSizeCode, kLast, kSrc0};
constexpr FixedBits kIotSFixed[] = {{0, 7, 0x13}, {12, 3, 5}, {15, 4, 0}, {26, 6, 0}};
constexpr Field kIotSFields[] = {kIgnored, kPeMode, kLast, kSrc0};
constexpr FixedBits kIotSsdFixed[] = {{0, 7, 0x13}, {12, 3, 4}};
constexpr Field kIotSsdFields[] = {kDst, kPeMode, kSizeCode, kLast, kSrc0, kSrc1};
constexpr FixedBits kIotSsFixed[] = {{0, 7, 0x13}, {12, 3, 4}, {15, 4, 0}};
constexpr Field kIotSsFields[] = {kIgnored, kPeMode, kLast, kSrc0, kSrc1};
constexpr FixedBits kIotDFixed[] = {{0, 7, 0x13}, {12, 3, 6}, {20, 12, 0}};
constexpr Field kIotDFields[] = {kDst, kPeMode, kSizeCode, kLast};

constexpr FixedBits kIorFixed[] = {{0, 7, 0x13}, {12, 3, 0}, {25, 2, 0}};
constexpr Field kIorFields[] = {
    one_of("dst", 7, 5, kGprTable, "register output"),
    one_of("src0", 15, 5, kGprTable, "first register input"),
    one_of("src1", 20, 5, kGprTable, "second register input"),
    one_of("src2", 27, 5, kGprTable, "third register input"),
};
constexpr FixedBits kIosFixed[] = {{0, 9, 0x13}, {12, 3, 1}, {19, 1, 0}, {28, 4, 0}};
constexpr Field kIosFields[] = {
    kPeMode,
    one_of("size_code", 15, 4, kSharedSizeTable, "source, or capacity of a destination"),
    number("shared_tid", 20, 8, "Shared register"),
};

constexpr FixedBits kStopFixed[] = {{0, 32, 1}};
constexpr FixedBits kShortStopFixed[] = {{0, 16, 0}};
constexpr FixedBits kLongStopFixed[] = {{0, 64, 0x1'0000'000F}};

// clang-format off
constexpr Form kForms[] = {
    {Op::start, "BSTART.VEC", {"BSTART.VEC", 4, kStartFields, {}, "starts a block of the vector engine", kStartFixed}},
    {Op::data_attributes, "B.DATR", {"B.DATR", 4, kDataAttributesFields, {}, "sets data attributes; TRELU uses the padding", kDataAttributesFixed}},
    {Op::fixed_point, "B.FPATR", {"B.FPATR", 4, kFixedPointFields, {}, "sets attributes of matrix blocks; refused in a vector block", kFixedPointFixed}},
    {Op::dimension, "B.DIM", {"B.DIM", 4, kDimFields, {}, "writes a block dimension: the low 16 bits of register plus immediate", kDimFixed}},
    {Op::dimension, "C.B.DIMI", {"C.B.DIMI", 2, kDimiFields, {}, "writes a block dimension from 8 bits", kDimiFixed}},
    {Op::tile_io, "B.IOT", {"B.IOT.SD", 4, kIotSdFields, {}, "binds one source and a new destination", kIotSdFixed}},
    {Op::tile_io, "B.IOT", {"B.IOT.S", 4, kIotSFields, {}, "binds one source", kIotSFixed}},
    {Op::tile_io, "B.IOT", {"B.IOT.SSD", 4, kIotSsdFields, {}, "binds two sources and a new destination", kIotSsdFixed}},
    {Op::tile_io, "B.IOT", {"B.IOT.SS", 4, kIotSsFields, {}, "binds two sources", kIotSsFixed}},
    {Op::tile_io, "B.IOT", {"B.IOT.D", 4, kIotDFields, {}, "binds a new destination", kIotDFixed}},
    {Op::scalar_io, "B.IOR", {"B.IOR", 4, kIorFields, {}, "binds registers; TRELU admits all zero only", kIorFixed}},
    {Op::shared_io, "B.IOS", {"B.IOS", 4, kIosFields, {}, "binds a Shared tile; TRELU refuses it", kIosFixed}},
    {Op::stop, "BSTOP", {"BSTOP", 4, {}, {}, "commits the block", kStopFixed}},
    {Op::stop, "C.BSTOP", {"C.BSTOP", 2, {}, {}, "commits the block, 16 bits", kShortStopFixed}},
    {Op::stop, "L.BSTOP", {"L.BSTOP", 8, {}, {}, "commits the block, 64 bits", kLongStopFixed}},
};
// clang-format on

constexpr bool layouts_are_sound() {
  for (const Form& form : kForms)
    if (check_layout(form.format) != Layout::ok) return false;
  return true;
}
static_assert(layouts_are_sound());

}  // namespace

std::span<const Form> forms() { return kForms; }

const Form* find_form(std::string_view format_name) {
  for (const Form& form : kForms)
    if (form.format.name == format_name) return &form;
  return nullptr;
}

std::uint8_t mask_of_mode(unsigned pe_mode) {
  std::uint8_t mask = 0;
  if (const Choice* c = kMaskTable.find(std::uint64_t{pe_mode}))
    for (const char digit : c->name) mask = static_cast<std::uint8_t>(mask << 1 | (digit == '1'));
  return mask;
}

}  // namespace act::tile
