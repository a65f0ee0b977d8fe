// One row per function. To add one: a row here, a line in tests/tables/functions_test.cc.
#include "act/tables/functions.h"

#include <cfloat>
#include <limits>

#include "tables/function_math.h"

namespace act {
namespace {

using namespace math;
using enum FunctionKind;
using enum Monotone;

constexpr std::uint32_t kOne = 0x3f800000, kMinusOne = 0xbf800000, kInf = 0x7f800000, kMinusInf = 0xff800000,
                        kNaN = 0x7fc00000, kSlope = 0x3c23d70a, kHalf = 0x3f000000, kHalfPi = 0x3fc90fdb,
                        kMinusHalfPi = 0xbfc90fdb, kMinusZero = 0x80000000, kPi = 0x40490fdb, kLn2Bits = 0x3f317218,
                        kTwoOverRootPiBits = 0x3f906ebb, kAlmostMax = 0x7f7f0000;

constexpr Symmetry kOdd{true, true, false, 0}, kEven{true, false, false, 0}, kStoreNeg{true, true, true, 1};
constexpr Clamp kZero{ClampRule::constant, 0}, kUnit{ClampRule::constant, kOne},
    kInfinite{ClampRule::constant, kInf}, kQuietNaN{ClampRule::constant, kNaN}, kEdge{ClampRule::edge},
    kInput{ClampRule::identity}, kCubicAtZero{ClampRule::taylor, 3};
constexpr ResidentSlot kSlotX{0, kOne, 0}, kSlot0{0, 0, 0}, kSlot1{kOne, 0, 0}, kSlotMinusX{0, kMinusOne, 0},
    kSlotLeaky{0, kSlope, 0}, kSlotSquare{0, 0, kOne};

constexpr double kInfD = std::numeric_limits<double>::infinity();
// Error bounds of the fast references: a few operations; an exponential or error function of an argument that
// was rounded first, deep in its tail.
constexpr double kTight = 0x1p-49, kTail = 0x1p-43, kAtRoot = 0x1p-50;

constexpr FunctionInfo kRows[] = {
    {.name = "identity", .bir_name = "Identity", .bir_ordinal = 0, .neuron_code = 1, .kind = resident,
     .budgets = {{{1, 0}}}, .resident_words = 2, .specials = {kInf, kMinusInf, 0, kNaN},
     .slots = {kSlotX, kSlotX, kSlotX, kSlotX}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = -FLT_MAX, .highest_value = FLT_MAX, .monotone = rising, .roots = {{{0, true}}},
     .formula = "x", .bodies = bodies([](double x) { return x; }, []<class T>(const T& x) -> T { return x; })},

    {.name = "square", .bir_name = "Square", .bir_ordinal = 1, .neuron_code = 30, .kind = resident,
     .budgets = {{{1, 0}}}, .symmetry = kEven, .resident_words = 1, .specials = {kInf, kInf, 0, kNaN},
     .slots = {kSlotSquare, kSlotSquare, kSlotSquare, kSlotSquare}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = 0, .highest_value = kInfD, .roots = {{{0, true}}}, .formula = "x*x",
     .bodies = bodies([](double x) { return x * x; }, []<class T>(const T& x) -> T { return x * x; })},

    {.name = "relu", .bir_name = "Relu", .bir_ordinal = 2, .neuron_code = 2, .kind = resident,
     .budgets = {{{1, 0}}}, .resident_words = 2, .specials = {kAlmostMax, 0, 0, kNaN},
     .slots = {kSlotX, kSlot0, kSlotX, kSlot0}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = 0, .highest_value = FLT_MAX, .monotone = rising, .roots = {{{0, true}}},
     .formula = "max(x, 0)",
     .bodies = bodies([](double x) { return x <= 0 ? 0 : x; },
                      []<class T>(const T& x) -> T { return is_negative(x) ? T(0) : x; })},

    {.name = "leaky_relu", .bir_name = "Lrelu", .bir_ordinal = 3, .neuron_code = 3, .kind = resident,
     .budgets = {{{1, 0}}}, .resident_words = 2, .specials = {kInf, kMinusInf, 0, kNaN},
     .slots = {kSlotX, kSlotLeaky, kSlotX, kSlotLeaky}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = -FLT_MAX, .highest_value = FLT_MAX, .monotone = rising, .roots = {{{0, true}}},
     .formula = "x <= 0 ? 0.01*x : x",
     .bodies = bodies([](double x) { return x <= 0 ? 0.01 * x : x; },
                      []<class T>(const T& x) -> T { return is_negative(x) ? T(0.01) * x : x; })},

    {.name = "parametric_relu", .bir_name = "Prelu", .bir_ordinal = 4, .neuron_code = 4, .kind = resident,
     .budgets = {{{1, 0}}}, .resident_words = 0, .specials = {kInf, kMinusInf, 0, kNaN},
     .slots = {{{0, 4, 0}, {0, 8, 0}, {0, 4, 0}, {0, 8, 0}}}, .lowest_value = -FLT_MAX, .highest_value = FLT_MAX,
     .monotone = rising, .roots = {{{0, true}}}, .fma_const0 = 1, .fma_selector = 2,
     .formula = "x <= 0 ? alpha*x : x",
     .bodies = bodies([](double x) { return x <= 0 ? static_cast<double>(kLeakySlope) * x : x; },
                      [](double x, double alpha) { return x <= 0 ? alpha * x : x; },
                      []<class T>(const T& x) -> T { return is_negative(x) ? T(kLeakySlope) * x : x; })},

    {.name = "sigmoid", .bir_name = "Sigmoid", .bir_ordinal = 5, .neuron_code = 5, .budgets = {{{40, 796}}},
     .symmetry = kStoreNeg, .neg = {-4, 11}, .specials = {kOne, 0, kHalf, kNaN}, .low_neg = kCubicAtZero,
     .high_neg = kZero, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX, .lowest_value = 0, .highest_value = 1,
     .monotone = rising, .formula = "1/(exp(-x) + 1)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return logistic(x); }, [](double x, double) { return 1 / (exp(-x) + 1); },
                      []<class T>(const T& x) -> T { return logistic(x); })},

    {.name = "tanh", .bir_name = "Tanh", .bir_ordinal = 6, .neuron_code = 6, .budgets = {{{4, 104}}},
     .symmetry = kOdd, .pos = {-14, 17}, .specials = {kOne, kMinusOne, 0, kNaN}, .low_pos = kCubicAtZero,
     .high_pos = kUnit, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX, .lowest_value = -1, .highest_value = 1,
     .monotone = rising, .roots = {{{0, true}}}, .formula = "tanh(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return tanh(x); }, []<class T>(const T& x) -> T { return tanh(x); })},

    {.name = "exp", .bir_name = "Exp", .bir_ordinal = 7, .neuron_code = 7, .tonga_id = 7, .budgets = {{{400, 777}}},
     .neg = {-19, 26}, .pos = {-19, 26}, .specials = {kInf, 0, kOne, kNaN}, .low_neg = kCubicAtZero,
     .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInfinite, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = 0, .highest_value = kInfD, .monotone = rising, .formula = "exp(x)",
     .rel_bound = kTight,
     .bodies = bodies([](double x) { return exp(x); }, []<class T>(const T& x) -> T { return exp(x); })},

    {.name = "softplus", .bir_name = "Softplus", .bir_ordinal = 8, .neuron_code = 9, .budgets = {{{40, 828}}},
     .neg = {-15, 22}, .pos = {-15, 19}, .specials = {kInf, 0, kLn2Bits, kNaN}, .low_neg = kCubicAtZero,
     .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInput, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = 0, .highest_value = FLT_MAX, .monotone = rising,
     .formula = "log1p(exp(-abs(x))) + (x <= 0 ? 0 : x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return soft_plus(x); },
                      [](double x, double) { return log1p(exp(-fabs(x))) + (x <= 0 ? 0 : x); },
                      []<class T>(const T& x) -> T {
                        return is_negative(x) ? log1p(exp(x)) : x + log1p(exp(-x));
                      })},

    {.name = "sqrt", .bir_name = "Sqrt", .bir_ordinal = 9, .neuron_code = 8, .budgets = {{{65536, 1113}}},
     .pos = {-116, 234}, .specials = {kInf, kNaN, 0, kNaN}, .low_neg = kQuietNaN,
     .low_pos = {ClampRule::chord}, .high_neg = kQuietNaN, .high_pos = kEdge, .lower_bound = 0x1p-116F,
     .upper_bound = 0x1p118F, .lowest_value = 0x1p-58, .highest_value = 0x1p59, .monotone = rising,
     .shipped_degree = 1, .formula = "sqrt(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return sqrt(x); }, []<class T>(const T& x) -> T { return sqrt(x); })},

    {.name = "reciprocal_sqrt", .bir_name = "Rsqrt", .bir_ordinal = 10, .neuron_code = 29,
     .budgets = {{{40000, 1202}}}, .pos = {-87, 185}, .specials = {0, kNaN, kInf, kNaN}, .low_neg = kQuietNaN,
     .low_pos = kEdge, .high_neg = kQuietNaN, .high_pos = kEdge, .lower_bound = 0x1p-87F, .upper_bound = 0x1p97F,
     .lowest_value = 0, .highest_value = 0x1p44, .monotone = falling, .formula = "1/sqrt(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return 1 / sqrt(x); },
                      []<class T>(const T& x) -> T { return T(1) / sqrt(x); })},

    {.name = "ln", .bir_name = "Ln", .bir_ordinal = 11, .neuron_code = 10, .budgets = {{{40, 1219}, {400, 513}}},
     .pos = {-64, 128}, .specials = {kInf, kNaN, kMinusInf, kNaN}, .low_neg = kQuietNaN, .low_pos = kEdge,
     .high_neg = kQuietNaN, .high_pos = kEdge, .lower_bound = 0x1p-64F, .upper_bound = 0x1p64F,
     .lowest_value = -64 * kLn2, .highest_value = 64 * kLn2, .monotone = rising, .roots = {{{1, true}}},
     .formula = "ln(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return log(x); }, []<class T>(const T& x) -> T { return log(x); })},

    {.name = "erf", .bir_name = "Erf", .bir_ordinal = 12, .neuron_code = 21, .budgets = {{{4, 66}}},
     .symmetry = kOdd, .pos = {-5, 7}, .specials = {kOne, kMinusOne, 0, kNaN}, .low_pos = kCubicAtZero,
     .high_pos = kUnit, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX, .lowest_value = -1, .highest_value = 1,
     .monotone = rising, .roots = {{{0, true}}}, .formula = "erf(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return erf(x); }, []<class T>(const T& x) -> T { return erf(x); })},

    {.name = "sin", .bir_name = "Sin", .bir_ordinal = 13, .neuron_code = 19, .budgets = {{{4, 55}}},
     .symmetry = kOdd, .pos = {-11, 13}, .specials = {kNaN, kNaN, 0, kNaN}, .low_pos = kCubicAtZero,
     .high_pos = {ClampRule::carry_on, kPi}, .lower_bound = -0x1.921fb6p1F, .upper_bound = 0x1.921fb6p1F,
     .lowest_value = -1, .highest_value = 1, .roots = {{{0, true}, {3.14159265358979323846, true}}},
     .formula = "sin(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return sin(x); }, []<class T>(const T& x) -> T { return sin(x); })},

    {.name = "arctan", .bir_name = "Arctan", .bir_ordinal = 14, .neuron_code = 28, .budgets = {{{4, 168}}},
     .symmetry = kOdd, .pos = {-6, 27}, .specials = {kHalfPi, kMinusHalfPi, 0, kNaN}, .low_pos = kCubicAtZero,
     .high_pos = {ClampRule::constant, kHalfPi}, .lower_bound = -0x1.921fb4p0F, .upper_bound = 0x1.921fb4p0F,
     .lowest_value = -1.57079632679489661923, .highest_value = 1.57079632679489661923, .monotone = rising,
     .roots = {{{0, true}}}, .formula = "atan(x)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return atan(x); }, []<class T>(const T& x) -> T { return atan(x); })},

    {.name = "sign", .bir_name = "Sign", .bir_ordinal = 15, .neuron_code = 31, .kind = resident,
     .budgets = {{{1, 0}}}, .symmetry = kOdd, .resident_words = 1, .specials = {kOne, kMinusOne, 0, kNaN},
     .slots = {{kSlot0, kSlot0, {kOne, 0, 0}, {kMinusOne, 0, 0}}}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = -1, .highest_value = 1, .monotone = rising, .roots = {{{0, true}}},
     .formula = "(x > 0) - (x < 0)",
     .bodies = bodies([](double x) -> double { return (x > 0) - (x < 0); },
                      []<class T>(const T& x) -> T { return is_zero(x) ? T(0) : is_negative(x) ? T(-1) : T(1); })},

    {.name = "gelu", .bir_name = "Gelu", .bir_ordinal = 16, .neuron_code = 23, .budgets = {{{4, 504}}},
     .neg = {-7, 11}, .pos = {-7, 10}, .specials = {kInf, 0, 0, kNaN}, .low_neg = kCubicAtZero,
     .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInput, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = -0.16997120747990366169, .highest_value = FLT_MAX,
     .roots = {{{0, true}}}, .formula = "0.5*x*(erf(x/sqrt(2)) + 1)", .rel_bound = kTail,
     .bodies = bodies([](double x) { return 0.5 * x * erfc(-x * kOneOverRoot2); },
                      [](double x, double) { return 0.5 * x * (erf(x / kRoot2) + 1); },
                      []<class T>(const T& x) -> T { return x * erfc(-x / sqrt(T(2))) / T(2); })},

    {.name = "mish", .bir_name = "Mish", .bir_ordinal = 17, .neuron_code = 24, .budgets = {{{4, 1099}}},
     .neg = {-7, 14}, .pos = {-7, 10}, .specials = {kInf, 0, 0, kNaN}, .low_neg = kCubicAtZero,
     .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInput, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = -0.30884341301725040663, .highest_value = FLT_MAX,
     .roots = {{{0, true}}}, .formula = "x*tanh(softplus(x))", .rel_bound = kTight,
     .bodies = bodies([](double x) { return mish(x); },
                      [](double x, double) { return x * tanh(log1p(exp(-fabs(x))) + (x <= 0 ? 0 : x)); },
                      []<class T>(const T& x) -> T {
                        const T e = exp(x);
                        return x / (T(1) + T(2) / (e * (e + T(2))));
                      })},

    {.name = "gelu_apprx_tanh", .bir_name = "Gelu_apprx_tanh", .bir_ordinal = 18, .neuron_code = 25,
     .budgets = {{{40, 945}}}, .neg = {-7, 10}, .pos = {-7, 10}, .specials = {kInf, 0, 0, kNaN},
     .low_neg = kCubicAtZero, .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInput,
     .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX, .lowest_value = -0.17004075057125405064,
     .highest_value = FLT_MAX, .roots = {{{0, true}}},
     .formula = "0.5*x*(tanh((0.044715*x^3 + x)*sqrt(2/pi)) + 1)", .rel_bound = kTail,
     .bodies = bodies([](double x) { return x * logistic(2 * tanh_cubic(x)); },
                      [](double x, double) { return 0.5 * x * (tanh(tanh_cubic(x)) + 1); },
                      []<class T>(const T& x) -> T {
                        const T u = (T(kTanhCubic) * x * x * x + x) * sqrt(T(2) / T(Mp::pi()));
                        return x * logistic(u + u);
                      })},

    {.name = "gelu_apprx_sigmoid", .bir_name = "Gelu_apprx_sigmoid", .bir_ordinal = 19, .neuron_code = 26,
     .budgets = {{{40, 1042}}}, .neg = {-7, 13}, .pos = {-7, 10}, .specials = {kInf, 0, 0, kNaN},
     .low_neg = kCubicAtZero, .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInput,
     .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX, .lowest_value = -0.16361018963635358115,
     .highest_value = FLT_MAX, .roots = {{{0, true}}}, .formula = "x*sigmoid(1.702*x)", .rel_bound = kTail,
     .bodies = bodies([](double x) { return x * logistic(kSigmoidSlope * x); },
                      [](double x, double) { return x * (1 / (exp(-(kSigmoidSlope * x)) + 1)); },
                      []<class T>(const T& x) -> T { return x * logistic(T(kSigmoidSlope) * x); })},

    {.name = "derivative_gelu_apprx_sigmoid", .bir_name = "Derivative_Gelu_apprx_sigmoid", .bir_ordinal = 20,
     .neuron_code = 38, .budgets = {{{4096, 1283}}}, .symmetry = kStoreNeg, .neg = {-7, 13},
     .specials = {kOne, 0, kHalf, kNaN}, .low_neg = kCubicAtZero, .high_neg = kZero, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = -0.099839320128866916958, .highest_value = 1.099839320128866917,
     .roots = {{{-0.7511542554412889513, true}}},
     .formula = "u = 1.702*x; (u + exp(u) + 1)*exp(u)/(exp(u) + 1)^2", .rel_bound = kTail, .abs_bound = kAtRoot,
     .bodies = bodies([](double x) { return d_silu(kSigmoidSlope * x); },
                      [](double x, double) { return closed_d_silu(kSigmoidSlope * x); },
                      []<class T>(const T& x) -> T { return d_silu(T(kSigmoidSlope) * x); })},

    {.name = "derivative_gelu", .bir_name = "Derivative_Gelu", .bir_ordinal = 21, .neuron_code = 32,
     .budgets = {{{40, 115}}}, .symmetry = kStoreNeg, .neg = {-5, 9}, .specials = {kOne, 0, kHalf, kNaN},
     .low_neg = kCubicAtZero, .high_neg = kZero, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = -0.12890414518515478634, .highest_value = 1.1289041451851547863,
     .roots = {{{-0.75179152469356445746, true}}},
     .formula = "0.5*(erf(x/sqrt(2)) + 1) + x*0.3989423*exp(-x^2/2)", .rel_bound = kTail, .abs_bound = kAtRoot,
     .bodies = bodies(
         [](double x) { return 0.5 * erfc(-x * kOneOverRoot2) + x * kOneOverRootTwoPi * exp(-x * x / 2); },
         [](double x, double) {
           return 0.5 * (erf(x / kRoot2) + 1) + x * kPrintedOneOverRootTwoPi * exp(-x * x / 2);
         },
         []<class T>(const T& x) -> T {
           return erfc(-x / sqrt(T(2))) / T(2) + x * T(one_over_root_two_pi()) * exp(-(x * x) / T(2));
         })},

    {.name = "derivative_erf", .bir_name = "Derivative_Erf", .bir_ordinal = 22, .neuron_code = 22,
     .budgets = {{{400, 466}}}, .symmetry = kEven, .pos = {-6, 10}, .specials = {0, 0, kTwoOverRootPiBits, kNaN},
     .low_pos = kCubicAtZero, .high_pos = kZero, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = 0, .highest_value = kTwoOverRootPi, .formula = "1.1283792*exp(-x^2)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return kTwoOverRootPi * exp(-x * x); },
                      [](double x, double) { return kPrintedTwoOverRootPi * exp(-x * x); },
                      []<class T>(const T& x) -> T { return T(two_over_root_pi()) * exp(-(x * x)); })},

    {.name = "copy", .bir_name = "Copy", .bir_ordinal = 23, .neuron_code = 128, .kind = resident,
     .budgets = {{{1, 0}}}, .resident_words = 2, .specials = {kInf, kMinusInf, 0, kNaN},
     .slots = {kSlotX, kSlotX, kSlotX, kSlotX}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = -FLT_MAX, .highest_value = FLT_MAX, .monotone = rising, .roots = {{{0, true}}},
     .imm_bias = true, .formula = "x",
     .bodies = bodies([](double x) { return x; }, []<class T>(const T& x) -> T { return x; })},

    {.name = "abs", .bir_name = "Abs", .bir_ordinal = 24, .neuron_code = 33, .tonga_id = 22, .kind = resident,
     .budgets = {{{1, 0}}}, .resident_words = 2, .specials = {kInf, kInf, 0, kNaN},
     .slots = {kSlotX, kSlotMinusX, kSlotX, kSlotMinusX}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = 0, .highest_value = FLT_MAX, .roots = {{{0, true}}}, .formula = "abs(x)",
     .bodies = bodies([](double x) { return fabs(x); }, []<class T>(const T& x) -> T { return abs_exact(x); })},

    {.name = "reciprocal", .bir_name = "Reciprocal", .bir_ordinal = 25, .neuron_code = 129, .tonga_id = 15,
     .budgets = {{{400, 1016}}}, .symmetry = kOdd, .pos = {-42, 85},
     .specials = {0, 0, kAlmostMax, kNaN}, .low_pos = kEdge, .high_pos = kEdge, .lower_bound = -0x1p42F,
     .upper_bound = 0x1p42F, .lowest_value = -0x1p42, .highest_value = 0x1p42, .imm_bias = true, .formula = "1/x",
     .rel_bound = kTight,
     .bodies = bodies([](double x) { return 1 / x; }, []<class T>(const T& x) -> T { return T(1) / x; })},

    {.name = "abs_reciprocal_sqrt", .bir_name = "Abs_reciprocal_sqrt", .bir_ordinal = 26, .neuron_code = 34,
     .budgets = {{{40000, 1202}}}, .symmetry = kEven, .pos = {-87, 185}, .specials = {0, 0, kInf, kNaN},
     .low_pos = kEdge, .high_pos = kEdge, .lower_bound = -0x1p97F, .upper_bound = 0x1p97F, .lowest_value = 0,
     .highest_value = 0x1p44, .formula = "1/sqrt(abs(x))", .rel_bound = kTight,
     .bodies = bodies([](double x) { return 1 / sqrt(fabs(x)); },
                      []<class T>(const T& x) -> T { return T(1) / sqrt(abs_exact(x)); })},

    {.name = "silu", .bir_name = "Silu", .bir_ordinal = 27, .neuron_code = 36, .budgets = {{{32, 908}}},
     .neg = {-7, 14}, .pos = {-7, 11}, .specials = {kInf, 0, 0, kNaN}, .low_neg = kCubicAtZero,
     .low_pos = kCubicAtZero, .high_neg = kZero, .high_pos = kInput, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = -0.27846454276107379511, .highest_value = FLT_MAX,
     .roots = {{{0, true}}}, .formula = "x/(exp(-x) + 1)", .rel_bound = kTight,
     .bodies = bodies([](double x) { return x / (1 + exp(-x)); },
                      []<class T>(const T& x) -> T { return x * logistic(x); })},

    {.name = "derivative_silu", .bir_name = "Derivative_silu", .bir_ordinal = 28, .neuron_code = 37,
     .budgets = {{{32, 1008}}}, .symmetry = kStoreNeg, .neg = {-5, 12}, .specials = {kOne, 0, kHalf, kNaN},
     .low_neg = kCubicAtZero, .high_neg = kZero, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = -0.099839320128866916958, .highest_value = 1.099839320128866917,
     .roots = {{{-1.2784645427610737951, true}}}, .formula = "(x + exp(x) + 1)*exp(x)/(exp(x) + 1)^2",
     .rel_bound = kTight, .abs_bound = kAtRoot,
     .bodies = bodies([](double x) { return d_silu(x); }, [](double x, double) { return closed_d_silu(x); },
                      []<class T>(const T& x) -> T { return d_silu(x); })},

    {.name = "is_finite", .bir_name = "Is_finite", .bir_ordinal = 29, .neuron_code = 35, .kind = resident,
     .budgets = {{{1, 0}}}, .symmetry = kEven, .resident_words = 1, .specials = {0, 0, kOne, 0},
     .slots = {kSlot1, kSlot1, kSlot1, kSlot1}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = 0, .highest_value = 1, .imm_bias = true, .formula = "isfinite(x) ? 1 : 0",
     .bodies = bodies([](double x) -> double { return std::isfinite(x); },
                      []<class T>(const T& x) -> T { return T(is_finite_number(x) ? 1 : 0); })},

    {.name = "memset_zero", .neuron_code = 130, .kind = resident, .budgets = {{{1, 0}}}, .symmetry = kEven,
     .resident_words = 1, .specials = {0, 0, 0, 0}, .slots = {kSlot0, kSlot0, kSlot0, kSlot0},
     .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX, .imm_bias = true, .formula = "0",
     .bodies = bodies([](double) -> double { return 0; }, []<class T>(const T&) -> T { return T(0); })},

    {.name = "derivative_relu", .neuron_code = 12, .kind = resident, .budgets = {{{1, 0}}}, .resident_words = 2,
     .specials = {kOne, 0, kOne, kNaN}, .slots = {kSlot1, kSlot1, kSlot1, kSlot0}, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = 0, .highest_value = 1, .monotone = rising,
     .formula = "x >= 0 ? 1 : 0",
     .bodies = bodies([](double x) -> double { return x >= 0; },
                      []<class T>(const T& x) -> T { return T(is_negative(x) && !is_zero(x) ? 0 : 1); })},

    {.name = "derivative_leaky_relu", .neuron_code = 13, .kind = resident, .budgets = {{{1, 0}}},
     .resident_words = 2, .specials = {kOne, kSlope, kOne, kNaN},
     .slots = {{kSlot1, kSlot1, kSlot1, {kSlope, 0, 0}}}, .lower_bound = -FLT_MAX, .upper_bound = FLT_MAX,
     .lowest_value = 0.01, .highest_value = 1, .monotone = rising, .formula = "x >= 0 ? 1 : 0.01",
     .bodies = bodies([](double x) { return x >= 0 ? 1 : 0.01; },
                      []<class T>(const T& x) -> T { return T(is_negative(x) && !is_zero(x) ? 0.01 : 1.0); })},

    {.name = "derivative_identity", .neuron_code = 11, .kind = resident, .budgets = {{{1, 0}}}, .resident_words = 2,
     .specials = {kOne, kOne, kOne, kNaN}, .slots = {kSlot1, kSlot1, kSlot1, kSlot1}, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = 1, .highest_value = 1, .monotone = rising, .formula = "1",
     .bodies = bodies([](double) -> double { return 1; }, []<class T>(const T&) -> T { return T(1); })},

    {.name = "derivative_sigmoid", .neuron_code = 15, .budgets = {{{40, 797}}}, .symmetry = kEven, .pos = {-4, 11},
     .specials = {0, 0, 0x3e800000, kNaN}, .low_pos = kCubicAtZero, .high_pos = kZero, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = 0, .highest_value = 0.25, .formula = "s*(1 - s), s = sigmoid(x)",
     .rel_bound = kTight,
     .bodies = bodies(
         [](double x) {
           const double e = exp(-fabs(x));
           return e / ((1 + e) * (1 + e));
         },
         []<class T>(const T& x) -> T { return logistic(x) * logistic(-x); })},

    {.name = "derivative_tanh", .neuron_code = 16, .budgets = {{{400, 397}}}, .symmetry = kEven, .pos = {-6, 12},
     .specials = {0, 0, kOne, kNaN}, .low_pos = kCubicAtZero, .high_pos = kZero, .lower_bound = -FLT_MAX,
     .upper_bound = FLT_MAX, .lowest_value = 0, .highest_value = 1, .formula = "1 - tanh(x)^2",
     .rel_bound = kTight,
     .bodies = bodies(
         [](double x) {
           const double e = exp(-2 * fabs(x));
           return 4 * e / ((1 + e) * (1 + e));
         },
         []<class T>(const T& x) -> T { return T(4) * logistic(x + x) * logistic(-(x + x)); })},

#include "tables/function_extensions.inc"
};

}  // namespace

std::span<const FunctionInfo> all_functions() { return kRows; }

}  // namespace act
