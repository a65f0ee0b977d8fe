// Function tables as Python holds them.
#pragma once

#include <mutex>

#include "act/tables/vector_evaluate.h"
#include "common.h"

namespace act::python {

// A table, what keeps it alive, and its form for the vector units, laid out at the first use.
class Table {
 public:
  Table(std::shared_ptr<const Catalog> owner, const FunctionTable* function) : table(function), owner_(std::move(owner)), lazy_(std::make_shared<Lazy>()) {}

  const FunctionTable* table;
  // Any thread may call; the interpreter lock is not needed.
  const VectorTable& vectors() const {
    std::call_once(lazy_->once, [this] { lazy_->vectors.emplace(*table); });
    return *lazy_->vectors;
  }

 private:
  struct Lazy {
    std::once_flag once;
    std::optional<VectorTable> vectors;
  };
  std::shared_ptr<const Catalog> owner_;
  std::shared_ptr<Lazy> lazy_;
};

}  // namespace act::python
