// Runs one golden test: golden_runner PROGRAM FILE. README.md beside this file describes the format.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr int kSkipped = 77;

struct Part {
  std::string head;  // "run", "file NAME", "exit 1"
  std::string body;
};
struct Golden {
  std::string comment;
  std::vector<Part> parts;

  Part* find(const std::string& head) {
    for (Part& p : parts)
      if (p.head == head) return &p;
    return nullptr;
  }
  Part* starting_with(const std::string& word) {
    for (Part& p : parts)
      if (p.head.rfind(word + " ", 0) == 0) return &p;
    return nullptr;
  }
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

Golden parse(const std::string& text) {
  Golden golden;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("--- ", 0) == 0) {
      golden.parts.push_back({line.substr(4), ""});
    } else {
      (golden.parts.empty() ? golden.comment : golden.parts.back().body) += line + "\n";
    }
  }
  return golden;
}

std::string print(const Golden& golden) {
  std::string out = golden.comment;
  for (const Part& p : golden.parts) out += "--- " + p.head + "\n" + p.body;
  return out;
}

struct Outcome {
  std::string out, err;
  int exit = 0;
};

// A directory of its own for the commands, removed at the end.
class Sandbox {
 public:
  Sandbox() {
    std::string pattern = (fs::temp_directory_path() / "actkit-golden-XXXXXX").string();
    const char* made = ::mkdtemp(pattern.data());
    if (made == nullptr) std::exit(2);
    root_ = made;
    fs::create_directory(root_ / "work");
  }
  ~Sandbox() { fs::remove_all(root_); }
  fs::path work() const { return root_ / "work"; }
  Outcome run(const fs::path& program, const std::string& commands, const std::string& input) const {
    write(root_ / "script", "cd '" + work().string() + "'\nPATH='" + program.parent_path().string() + "':$PATH\nexport PATH\n" + commands);
    write(root_ / "input", input);
    const std::string r = root_.string();
    const std::string shell = "sh -e '" + r + "/script' <'" + r + "/input' >'" + r + "/out' 2>'" + r + "/err'";
    const int status = std::system(shell.c_str());
    return {read(root_ / "out"), read(root_ / "err"), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
  }

 private:
  fs::path root_;
};

void set_part(Golden& golden, const std::string& head, const std::string& body) {
  Part* part = golden.find(head);
  if (part == nullptr && !body.empty()) part = &golden.parts.emplace_back(Part{head, ""});
  if (part != nullptr) part->body = body;
}

void rebase(const fs::path& file, Golden golden, const Outcome& got) {
  std::erase_if(golden.parts, [](const Part& p) { return p.head.rfind("exit ", 0) == 0; });
  const auto with_newline = [](std::string s) { return s.empty() || s.back() == '\n' ? s : s + "\n"; };
  set_part(golden, "stdout", with_newline(got.out));
  set_part(golden, "stderr", with_newline(got.err));
  std::erase_if(golden.parts, [](const Part& p) { return (p.head == "stdout" || p.head == "stderr") && p.body.empty(); });
  if (got.exit != 0) golden.parts.push_back({"exit " + std::to_string(got.exit), ""});
  write(file, print(golden));
}

bool same(const std::string& what, const std::string& expected, std::string got) {
  if (!got.empty() && got.back() != '\n') got += '\n';
  if (expected == got) return true;
  std::cout << "=== " << what << " expected\n" << expected << "=== " << what << " got\n" << got;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "golden_runner PROGRAM FILE\n"), 2;
  const fs::path program = fs::absolute(argv[1]), file = fs::absolute(argv[2]);
  Golden golden = parse(read(file));
  const Part* run = golden.find("run");
  if (run == nullptr) return std::fprintf(stderr, "%s has no run part\n", argv[2]), 2;
  const char* shared = std::getenv("SHARED");
  if (golden.find("needs shared") != nullptr && (shared == nullptr || !fs::exists(shared))) {
    std::cout << "skipped: the shared folder is absent\n";
    return kSkipped;
  }
  const Sandbox sandbox;
  for (const Part& p : golden.parts)
    if (p.head.rfind("file ", 0) == 0) write(sandbox.work() / p.head.substr(5), p.body);
  const auto body = [&golden](const char* head) {
    const Part* p = golden.find(head);
    return p == nullptr ? std::string{} : p->body;
  };
  const Outcome got = sandbox.run(program, run->body, body("stdin"));
  if (std::getenv("ACTKIT_REBASE") != nullptr) {
    rebase(file, std::move(golden), got);
    return 0;
  }
  const Part* exit_part = golden.starting_with("exit");
  const int expected_exit = exit_part == nullptr ? 0 : std::atoi(exit_part->head.c_str() + 5);
  bool ok = same("stdout", body("stdout"), got.out);
  ok &= same("stderr", body("stderr"), got.err);
  if (got.exit != expected_exit) {
    std::cout << "exit status " << got.exit << ", expected " << expected_exit << "\n";
    ok = false;
  }
  return ok ? 0 : 1;
}
