// What the members mean: our own container read back, and one thing wrong at a time (05 sections 3, 4, 9).
#include "act/neff/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "neff/forge.h"
#include "neff/sample.h"

namespace act::neff {
namespace {
using ::testing::ElementsAre;

// The sample as hand-made members, so that one of them can be changed.
struct Parts {
  std::map<std::string, std::string> members;
  Parts() {
    Diagnostics problems;
    const Bytes file = write_container(sample::spec()).value();
    const auto archive = read_archive(file, "f", {}, problems);
    for (const Member& m : archive->members) members[m.name] = as_text(m.data);
  }
  Parts& replace(const std::string& member, const std::string& from, const std::string& to) {
    std::string& text = members.at(member);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << member << " has no " << from;
    if (at != text.npos) text.replace(at, from.size(), to);
    return *this;
  }
  Container read(Diagnostics& problems, const Limits& limits = {}) const {
    forge::Tar tar;
    for (const auto& [name, text] : members) tar.file(name, text);
    return read_container(forge::wrap(tar), "f", limits, problems).value();
  }
};

TEST(Container, ReadsWhatTheWriterWrote) {
  Diagnostics problems;
  const Bytes file = write_container(sample::spec()).value();
  const auto c = read_container(file, "f", {}, problems);
  ASSERT_TRUE(c);
  EXPECT_TRUE(problems.empty()) << to_text(problems[0]);
  EXPECT_EQ(c->name, "sample.neff");
  EXPECT_EQ(c->target, "cayman");
  EXPECT_EQ(c->kelf_version, "0.5");
  ASSERT_EQ(c->graphs.size(), 1u);
  const Graph& g = c->graphs[0];
  EXPECT_EQ(g.name, "sg00");
  EXPECT_EQ(g.definition, "sg00/def.json");
  EXPECT_THAT(g.neff_features, ElementsAre("neff_feature_vnc"));
  ASSERT_EQ(g.engines.size(), 5u);
  EXPECT_EQ(g.engines[0].stream, "sg00/Activation.bin");
  EXPECT_EQ(g.engines[0].act_semaphore, 12u);
  EXPECT_THAT(g.engines[0].activation_function_sets, ElementsAre("one"));
  ASSERT_EQ(g.sets.size(), 2u);
  EXPECT_TRUE(g.sets[0].present);
  EXPECT_FALSE(g.sets[1].present);
  EXPECT_EQ(g.sets[1].ctrl_bin, "sg00/two_ctrl.bin");
  ASSERT_EQ(g.queues.size(), 1u);
  EXPECT_THAT(g.queues[0].semaphore_set, ElementsAre(8, 9, 10));
  EXPECT_EQ(c->queue_of("sg00", 9), &g.queues[0]);
  EXPECT_EQ(c->queue_of("sg00", 11), nullptr);
  EXPECT_EQ(c->queue_of("sg01", 9), nullptr);
  ASSERT_EQ(c->tensors.size(), 2u);
  EXPECT_EQ(c->tensors[0].name, "x");
  EXPECT_THAT(c->tensors[0].shape, ElementsAre(128, 4));
  EXPECT_TRUE(c->tensors[1].output);
}

TEST(Container, EngineJsonIsByteForByteTheVendorsForm) {
  auto spec = sample::spec();
  spec.graphs[0].activation_function_sets = {"one"};
  Diagnostics problems;
  const Bytes file = write_container(spec).value();
  const auto a = read_archive(file, "f", {}, problems);
  EXPECT_EQ(as_text(a->find("sg00/Activation.json")->data),
            R"({"act_info":"act_info.json","act_semaphore":12,"activation_function_sets":["one"],"dma":[],)"
            R"("instr":"Activation.bin","name":"Activation.json"})");
  EXPECT_EQ(as_text(a->find("sg00/PE.json")->data), R"({"dma":[],"instr":"PE.bin","name":"PE.json"})");
}

TEST(Container, SelectsStreams) {
  Diagnostics problems;
  const Container c = Parts().read(problems);
  const auto all = c.streams();
  ASSERT_EQ(all->size(), 5u);
  EXPECT_EQ((*all)[0].engine->stem, "Activation");
  EXPECT_EQ((*all)[3].bytes.size(), 3 * 64u);
  for (const char* name : {"act", "Activation", "ACT", "activation"}) {
    const auto one = c.streams("sg00", name);
    ASSERT_EQ(one->size(), 1u) << name;
    EXPECT_EQ((*one)[0].member, "sg00/Activation.bin");
    EXPECT_EQ((*one)[0].bytes[128], 0x23);
  }
  const auto graph = c.streams("sg07", "");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error()[0].allowed, "sg00");
  const auto engine = c.streams("", "gpu");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error()[0].allowed, "act, pool, pe, dve, sp");
}

TEST(Container, FolderIsACatalogDirectory) {
  Diagnostics problems;
  auto c = std::make_shared<const Container>(Parts().read(problems));
  const ContainerFolder folder(c);
  EXPECT_EQ(as_text(folder.read("act_info.json").value()), sample::roster_text());
  EXPECT_TRUE(folder.contains("one_bkt.bin"));
  EXPECT_FALSE(folder.contains("two_bkt.bin"));
  EXPECT_FALSE(folder.contains("../info.json"));
  EXPECT_EQ(folder.read("two_bkt.bin").error()[0].code, Code::missing_member);
  EXPECT_EQ(folder.read("../info.json").error()[0].code, Code::bad_path);
  EXPECT_EQ(folder.read("one.json", 1).error()[0].code, Code::too_large);
  EXPECT_EQ(folder.label(), "f");
}

TEST(Container, FolderOfTwoGraphsFindsSetsOfTheSecond) {
  auto spec = sample::spec();
  spec.graphs.push_back(spec.graphs[0]);
  spec.graphs[1].name = "sg01";
  spec.graphs[0].activation_function_sets.clear();
  std::erase_if(spec.graphs[0].files, [](const Member& m) { return m.name != "act_info.json"; });
  Diagnostics problems;
  const Bytes file = write_container(spec).value();
  auto c = std::make_shared<const Container>(read_container(file, "f", {}, problems).value());
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(as_text(ContainerFolder(c).read("one_bkt.bin").value()), "b");
}

// One change, one diagnostic, everything else still listed.
struct Broken {
  const char* what;
  std::function<void(Parts&)> change;
  Code code;
  Severity severity;
  std::string file, pointer;
  std::size_t streams;
};

TEST(Container, OneThingWrongLeavesTheRest) {
  const auto erase = [](const char* name) { return [name](Parts& p) { p.members.erase(name); }; };
  const auto swap = [](const char* member, const char* from, const char* to) {
    return [=](Parts& p) { p.replace(member, from, to); };
  };
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  const Broken cases[] = {
      {"no info", erase("info.json"), Code::missing_member, Severity::warning, "f(info.json)", "", 5},
      {"no neff.json", erase("neff.json"), Code::missing_member, Severity::warning, "f(neff.json)", "", 5},
      {"no kelf", erase("kelf-0.json"), Code::missing_member, Severity::error, "f(kelf-0.json)", "", 0},
      {"no definition", erase("sg00/def.json"), Code::missing_member, Severity::error, "f(kelf-0.json)",
       "/graphs/0/definition", 0},
      {"no stream", erase("sg00/PE.bin"), Code::missing_member, Severity::error, "f(sg00/def.json)",
       "/pe_instr", 4},
      {"no engine JSON", erase("sg00/PE.json"), Code::missing_member, Severity::error, "f(sg00/def.json)",
       "/pe", 5},
      {"no roster", erase("sg00/act_info.json"), Code::missing_member, Severity::error,
       "f(sg00/Activation.json)", "/act_info", 5},
      {"set without file", erase("sg00/one_bkt.bin"), Code::missing_member, Severity::error,
       "f(sg00/Activation.json)", "/activation_function_sets/0", 5},
      {"unknown set", swap("sg00/Activation.json", "\"one\"", "\"six\""), Code::unknown_name, Severity::error,
       "f(sg00/Activation.json)", "/activation_function_sets/0", 5},
      {"stream of 65 bytes", [](Parts& p) { p.members["sg00/SP.bin"] += "x"; }, Code::bad_size,
       Severity::error, "f(sg00/SP.bin)", "", 5},
      {"depth 65", [&](Parts& p) { p.members["sg00/PE.json"] = "{\"dma\":" + deep + "}"; }, Code::json_syntax,
       Severity::error, "f(sg00/PE.json)", "", 5},
      {"a key twice", [](Parts& p) { p.members["sg00/PE.json"] = R"({"dma":[],"instr":"PE.bin","instr":"SP.bin","name":"PE.json"})"; },
       Code::duplicate_name, Severity::error, "f(sg00/PE.json)", "", 5},
      {"no JSON", [](Parts& p) { p.members["sg00/act_info.json"] = "\xff\xfe"; }, Code::json_syntax,
       Severity::error, "f(sg00/act_info.json)", "", 5},
      {"no object", [](Parts& p) { p.members["sg00/PE.json"] = "[]"; }, Code::json_type, Severity::error,
       "f(sg00/PE.json)", "", 5},
      {"key gone", swap("sg00/def.json", "\"dve_instr\"", "\"x\""), Code::json_missing, Severity::error,
       "f(sg00/def.json)", "", 4},
      {"number for a name", swap("sg00/def.json", "\"SP.bin\"", "7"), Code::json_type, Severity::error,
       "f(sg00/def.json)", "/sp_instr", 4},
      {"escaping name", swap("sg00/def.json", "\"SP.bin\"", "\"../sg00/SP.bin\""), Code::bad_path,
       Severity::error, "f(sg00/def.json)", "/sp_instr", 4},
      {"absolute name", swap("sg00/def.json", "\"SP.bin\"", "\"/sg00/SP.bin\""), Code::bad_path,
       Severity::error, "f(sg00/def.json)", "/sp_instr", 4},
      {"escaping definition", swap("kelf-0.json", "sg00/def.json", "../def.json"), Code::bad_path,
       Severity::error, "f(kelf-0.json)", "/graphs/0/definition", 0},
      {"escaping set file", swap("sg00/act_info.json", "two_bkt.bin", "../two_bkt.bin"), Code::bad_path,
       Severity::error, "f(sg00/act_info.json)", "/act_func_sets/1/bkt_bin", 5},
      {"two streams for one engine", swap("sg00/PE.json", "PE.bin", "SP.bin"), Code::bad_value,
       Severity::error, "f(sg00/PE.json)", "/instr", 5},
      {"header of another target", swap("kelf-0.json", "\"cayman\"", "\"sunda\""), Code::bad_value,
       Severity::warning, "f", "", 5},
  };
  for (const Broken& b : cases) {
    Parts parts;
    b.change(parts);
    Diagnostics problems;
    const Container c = parts.read(problems);
    // A part that is gone may leave a second gap behind it; the first report is the cause.
    ASSERT_FALSE(problems.empty()) << b.what;
    const auto at = std::ranges::find_if(problems, [&](const Diagnostic& d) { return d.code == b.code; });
    ASSERT_NE(at, problems.end()) << b.what << ": " << to_text(problems[0]);
    EXPECT_EQ(at->severity, b.severity) << b.what;
    EXPECT_EQ(at->where.file, b.file) << b.what;
    EXPECT_EQ(at->where.pointer, b.pointer) << b.what;
    EXPECT_LE(problems.size(), 2u) << b.what;
    EXPECT_EQ(c.streams()->size(), b.streams) << b.what;
  }
}

TEST(Container, JsonLimitsHaveOptions) {
  Limits limits;
  limits.json.bytes = 100;
  Diagnostics problems;
  Parts().read(problems, limits);
  EXPECT_GE(forge::count(problems, Code::too_large), 1u);
  limits = {};
  limits.json.depth = 1;
  problems.clear();
  Parts().read(problems, limits);
  EXPECT_GE(forge::count(problems, Code::json_syntax), 1u);
  limits = {};
  limits.graphs = 0;
  problems.clear();
  EXPECT_TRUE(Parts().read(problems, limits).graphs.empty());
  EXPECT_EQ(forge::count(problems, Code::too_large), 1u);
}

TEST(Container, ManyGraphsOfOneLargeDefinitionCostLittle) {
  // A hundred graphs that all name one document of four megabytes.
  Parts parts;
  std::string list;
  for (int i = 0; i < 100; ++i)
    list += fmt::format("{}{{\"name\":\"g{}\",\"definition\":\"sg00/def.json\"}}", i ? "," : "", i);
  parts.members["kelf-0.json"] = fmt::format(R"({{"target":"cayman","graphs":[{}]}})", list);
  parts.members["sg00/def.json"].insert(1, "\"filler\":\"" + std::string(4 << 20, 'x') + "\",");
  Limits limits;
  limits.json.bytes = 8 << 20;
  Diagnostics problems;
  const Container c = parts.read(problems, limits);
  EXPECT_EQ(c.streams()->size(), 5u * 7);  // the budget of 32 MiB holds seven of them
  EXPECT_EQ(forge::count(problems, Code::too_large), 93u);
}

TEST(Writer, IsDeterministic) {
  EXPECT_EQ(write_container(sample::spec()).value(), write_container(sample::spec()).value());
}

TEST(Writer, UuidIsMadeFromTheDigestUnlessGiven) {
  const Bytes file = write_container(sample::spec()).value();
  EXPECT_EQ(file[204 + 6] >> 4, 3);
  EXPECT_EQ(file[204 + 8] >> 6, 2);
  Header h;
  const Bytes mine(16, 0xAB);
  h.set_bytes(header_field("uuid"), mine);
  const Bytes packed = pack(h, {}).value();
  EXPECT_TRUE(std::equal(mine.begin(), mine.end(), packed.begin() + 204));
}

TEST(Writer, LongNamesComeBack) {
  const std::string name = "sg00/" + std::string(200, 'n') + "/" + std::string(255, 'm');
  const std::vector<Member> members = {sample::text(name, "x"), sample::text("\xc3\xa9.npy", "y"),
                                       sample::text("empty", "")};
  Diagnostics problems;
  const Bytes file = pack({}, members).value();
  const auto a = read_archive(file, "f", {}, problems);
  ASSERT_TRUE(a);
  EXPECT_TRUE(problems.empty()) << to_text(problems[0]);
  ASSERT_EQ(a->members.size(), 3u);
  EXPECT_EQ(a->members[0].name, name);
  EXPECT_EQ(a->members[1].name, "\xc3\xa9.npy");
  EXPECT_TRUE(a->members[2].data.empty());
}

TEST(Writer, RefusesWhatAReaderWouldRefuse) {
  const auto pack_error = [](std::vector<Member> m) { return pack({}, m).error()[0].code; };
  EXPECT_EQ(pack_error({sample::text("../x", "")}), Code::bad_path);
  EXPECT_EQ(pack_error({sample::text("a", ""), sample::text("A", "")}), Code::duplicate_name);
  const auto error_of = [](const std::function<void(ContainerSpec&)>& change) {
    ContainerSpec spec = sample::spec();
    change(spec);
    const auto r = write_container(spec);
    EXPECT_FALSE(r);
    return r ? Code::io_error : r.error()[0].code;
  };
  EXPECT_EQ(error_of([](auto& s) { s.target = "mariana"; }), Code::unknown_name);
  EXPECT_EQ(error_of([](auto& s) { s.graphs[0].engines[1].engine = "gpu"; }), Code::unknown_name);
  EXPECT_EQ(error_of([](auto& s) { s.graphs[0].engines.pop_back(); }), Code::missing_member);
  EXPECT_EQ(error_of([](auto& s) { s.graphs[0].engines[1].stream.pop_back(); }), Code::bad_size);
  EXPECT_EQ(error_of([](auto& s) { s.graphs[0].files.erase(s.graphs[0].files.begin()); }),
            Code::missing_member);
  EXPECT_EQ(error_of([](auto& s) { s.graphs[0].activation_function_sets = {"six"}; }), Code::unknown_name);
  EXPECT_EQ(error_of([](auto& s) { s.graphs[0].activation_function_sets = {"two"}; }), Code::missing_member);
}

TEST(Writer, FeatureBitIsMirroredInTheDefinition) {
  ContainerSpec spec = sample::spec();
  spec.extra_feature_bits = 0x40;
  Diagnostics problems;
  const Bytes file = write_container(spec).value();
  const auto c = read_container(file, "f", {}, problems);
  EXPECT_EQ(c->archive.header.feature_mask(), 0xC40u);
  EXPECT_THAT(c->graphs[0].neff_features, ElementsAre("neff_feature_dynamic_pwp", "neff_feature_vnc"));
}

}  // namespace
}  // namespace act::neff
