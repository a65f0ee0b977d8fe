#include "act/tables/published.h"

#include <algorithm>
#include <charconv>

namespace act {
namespace {

// Residents appear under the abbreviations of 02 section 9.
constexpr std::pair<std::string_view, std::string_view> kAbbreviations[] = {
    {"id", "identity"},        {"cp", "copy"},
    {"lk", "leaky_relu"},      {"pr", "parametric_relu"},
    {"ab", "abs"},             {"sg", "sign"},
    {"mz", "memset_zero"},     {"re", "relu"},
    {"dr", "derivative_relu"}, {"dl", "derivative_leaky_relu"},
    {"di", "derivative_identity"}, {"fi", "is_finite"},
    {"sq", "square"},
};

constexpr RosterSet kTrainium[] = {
    {"exp_and_others", "exp=400 id cp lk pr ab sg mz re tanh=4 dr dl di fi sq", 941, 89, 28093},
    {"softplus_and_others", "softplus=40 id cp lk mz ab pr sg sq dr dl di fi re", 884, 61, 24207},
    {"sigmoid_and_others", "id cp lk pr re tanh=4 ab mz sigmoid=40 sq sg erf=4 dr dl di fi arctan=4", 1202, 82,
     31764},
    {"sqrt_and_others", "id cp lk pr re mz sq sg ab dr dl di fi sqrt=65536", 1169, 254, 46870},
    {"small", "re lk pr sq mz sg ab id dr dl di fi cp", 52, 20, 19534},
    {"natural_log", "ln=40 re lk mz pr sq ab sg cp dr dl di fi id", 1275, 148, 35257},
    {"natural_log_exp_and_others", "ln=400 exp=400 re ab lk mz pr sq sg cp dr dl di fi id", 1350, 200, 40548},
    {"sigmoid_derivative", "derivative_sigmoid=40 re dr lk dl mz pr id ab cp sq sg fi di", 853, 31, 22252},
    {"tanh_and_derivative", "tanh=4 derivative_tanh=400 re mz dr lk dl pr ab id cp sq sg fi di", 561, 49, 25531},
    {"trig_and_small", "sin=4 arctan=4 re dr lk dl pr sq ab id mz cp sg fi di", 283, 60, 26659},
    {"gelu_and_others", "gelu=4 derivative_gelu=40 tanh=4 re lk pr sg ab mz cp sq dr dl di fi id", 787, 67, 28177},
    {"gelu_apprx_tanh_and_others", "gelu_apprx_tanh=40 tanh=4 re lk pr sg mz ab cp sq dr dl di fi id", 1109, 57,
     25864},
    {"gelu_apprx_sigmoid_and_others", "gelu_apprx_sigmoid=40 tanh=4 re lk pr mz sg ab cp sq dr dl di fi id", 1206, 60,
     26237},
    {"reciprocal_and_small", "reciprocal=400 re lk pr sq ab mz sg cp dr dl di fi id", 1072, 105, 30460},
    {"reciprocal_sqrt_and_small", "reciprocal_sqrt=40000 re lk pr sg mz sq ab cp dr dl di fi id", 1258, 205, 41653},
    {"abs_reciprocal_sqrt_and_small", "abs_reciprocal_sqrt=40000 re lk pr sg sq mz ab cp dr dl di fi id", 1258, 205,
     41675},
    {"mish_and_others", "mish=4 re lk pr sg mz ab cp sq dr dl di fi id", 1155, 44, 23030},
    {"erf_derivative", "derivative_erf=400 re lk pr sg sq ab mz cp dr dl di fi id", 522, 30, 22120},
    {"silu_and_others", "silu=32 tanh=4 sin=4 re lk pr sg sq ab mz cp dr dl di fi id", 1131, 75, 29022},
    {"derivative_silu_and_others", "derivative_silu=32 tanh=4 sin=4 re lk pr sg sq ab mz cp dr dl di fi id", 1231, 62,
     28457},
    {"derivative_gelu_apprx_sigmoid_and_others",
     "derivative_gelu_apprx_sigmoid=4096 tanh=4 re lk pr mz sg ab cp sq dr dl di fi id", 1447, 50, 25903},
};

constexpr RosterSet kWithLn[] = {
    {"exp_and_others", "exp=400 id lk pr re tanh=4 ab sg", 913, 78, 17539},
    {"sigmoid_and_others", "id lk pr re tanh=4 ab sg sigmoid=40", 932, 37, 14797},
    {"softplus_tanh_and_others", "id lk pr re tanh=4 ab sg softplus=40", 964, 67, 16815},
    {"sqrt_and_others", "id lk pr re sg ab sq sqrt=65536", 1145, 244, 37786},
    {"small", "re lk pr id sg ab sq", 28, 10, 10474},
    {"natural_log", "ln=40 ab", 1227, 130, 17249},
    {"gelu_and_others", "gelu=4 tanh=4 re lk pr ab sg id", 640, 47, 15249},
    {"gelu_apprx_tanh_and_others", "gelu_apprx_tanh=40 tanh=4 re lk pr ab sg id", 1081, 46, 15264},
    {"gelu_apprx_sigmoid_and_others", "gelu_apprx_sigmoid=40 tanh=4 re lk pr ab sg id", 1178, 49, 15637},
    {"mish_and_small", "mish=4 re lk pr sg ab id", 1127, 33, 12428},
    {"reciprocal_and_small", "reciprocal=400 pr sg ab sq", 1036, 89, 16767},
    {"reciprocal_sqrt_and_small", "reciprocal_sqrt=40000 id sq ab sg", 1222, 191, 28082},
    {"trig_and_small", "sin=4 arctan=4 re ab lk pr sg id", 255, 49, 16105},
    {"erf_and_others", "erf=4 tanh=4 sin=4 re ab lk pr id sg sq", 265, 47, 18573},
};

constexpr Roster kRosters[] = {
    {"trainium", IdSpace::sunda, kTrainium},
    {"with_ln", IdSpace::tonga, kWithLn},
};

// "exp=400" or an abbreviation.
std::pair<std::string, std::uint32_t> act_entry(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals != word.npos) {
    std::uint32_t budget = 1;
    std::from_chars(word.data() + equals + 1, word.data() + word.size(), budget);
    return {std::string(word.substr(0, equals)), budget};
  }
  const auto at = std::find_if(std::begin(kAbbreviations), std::end(kAbbreviations),
                               [&](const auto& pair) { return pair.first == word; });
  return {std::string(at->second), 1};
}

}  // namespace

std::span<const Roster> published_rosters() { return kRosters; }

const Roster* find_roster(std::string_view name) {
  const auto at = std::find_if(std::begin(kRosters), std::end(kRosters), [&](const Roster& r) { return r.name == name; });
  return at == std::end(kRosters) ? nullptr : at;
}

ActMap act_map(const RosterSet& set) {
  ActMap map;
  std::string_view rest = set.act;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    map.push_back(act_entry(rest.substr(0, space)));
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return map;
}

}  // namespace act
