// The four device tables from a stranger: generation, three lengths of two bytes, then the tables. What is
// accepted must come back from an image built of it.
#include <cstdlib>

#include "act/tables/device_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 7) return 0;
  act::DeviceImage image;
  image.generation = act::kGenerations[data[0] % act::kGenerations.size()];
  const std::size_t lengths[] = {static_cast<std::size_t>(data[1] | data[2] << 8),
                                 static_cast<std::size_t>(data[3] | data[4] << 8),
                                 static_cast<std::size_t>(data[5] | data[6] << 8)};
  data += 7, size -= 7;
  act::Bytes* const tables[] = {&image.cam, &image.profile, &image.control};
  for (int i = 0; i < 3; ++i) {
    const std::size_t take = lengths[i] < size ? lengths[i] : size;
    tables[i]->assign(data, data + take);
    data += take, size -= take;
  }
  image.bucket.assign(data, data + size);
  const auto functions = act::read_image(image);
  if (!functions) return 0;
  const act::TableSet set = act::make_set("fuzz", *functions);
  const auto built = act::build_image(set, image.generation);
  if (!built) return 0;
  const auto back = act::read_image(*built);
  if (!back || !(*back == *functions)) std::abort();
  return 0;
}
