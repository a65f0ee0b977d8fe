// Containers written by us: deterministic, and with the shape of the vendor's (05 sections 1-4).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "act/neff/container.h"

namespace act::neff {

// Header, digest (words reversed) and the padded gzip of a tar with `members` in their order; data_size and
// digest of `header` are filled in, and a uuid of zeros is replaced by one made from the digest. Same input,
// same bytes. Errors: bad-path and duplicate-name (a name that a reader would refuse), bad-archive.
Result<Bytes> pack(Header header, std::span<const Member> members);

// The engine JSON that stands beside a stream (05 section 4): one line without blanks, keys sorted, no final newline. `sets`
// are the names of the table sets in use, for the activation engine.
std::string engine_description(const EngineRow& row, std::span<const std::string> sets);

struct EngineSpec {
  std::string engine;  // a key of kEngines
  Bytes stream;        // whole bundles
};

struct GraphSpec {
  std::string name = "sg00";
  std::vector<EngineSpec> engines;                    // every engine once
  std::vector<std::string> activation_function_sets;  // names, in the order of first use
  std::vector<Member> files;                          // roster, manifests, blobs: names relative to the graph
  std::vector<DmaQueue> queues;
};

struct ContainerSpec {
  std::string name = "file.neff";
  std::string target = "cayman";  // a row of kTargets
  std::string tool_version = "actkit";
  std::uint64_t extra_feature_bits = 0;  // besides those of the target, e.g. 0x40
  std::vector<GraphSpec> graphs;
  std::vector<Tensor> tensors;
};

// A whole container: info.json, kelf-0.json, neff.json, and per graph def.json, engine JSON, streams and
// `files`. Every graph with a roster among its files holds the files of the sets it names. Errors:
// unknown-name (target, engine, set), bad-size (a stream that is no multiple of 64 bytes), missing-member (an
// engine without stream, a set without its files), and those of pack.
Result<Bytes> write_container(const ContainerSpec& spec);

}  // namespace act::neff
