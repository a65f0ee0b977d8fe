// Expected files were written by NumPy 1.24 (numpy.save).
#include "act/files/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace act {
namespace {

// The file numpy.save writes: prefix, dictionary, padding to 128 bytes, data.
Bytes numpy_file(std::string dictionary, std::initializer_list<int> data, char version = 1) {
  std::string s("\x93NUMPY", 6);
  const std::size_t prefix = version == 1 ? 10 : 12;
  dictionary.resize(128 - prefix - 1, ' ');
  dictionary += '\n';
  s += version;
  s += '\0';
  s += static_cast<char>(dictionary.size());
  s.append(version == 1 ? 1 : 3, '\0');
  s += dictionary;
  for (const int b : data) s += static_cast<char>(b);
  return {s.begin(), s.end()};
}

TEST(Npy, ReadsWhatNumpyWrote) {
  const auto c = parse_npy(numpy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }",
                                      {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));
  ASSERT_TRUE(c) << to_text(c.error()[0]);
  EXPECT_EQ(c->type, (NpyType{'i', 2}));
  EXPECT_EQ(c->shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(c->values<std::int16_t>(), (std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(c->bits(4), 5u);
}

TEST(Npy, FortranOrderAndBigEndianBecomeCOrderAndLittleEndian) {
  const auto f = parse_npy(numpy_file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }",
                                      {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6}));
  ASSERT_TRUE(f);
  EXPECT_EQ(f->values<std::int16_t>(), (std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
  // Three dimensions, (2, 3, 2) in Fortran order: file position of [i][j][k] is i + 2j + 6k.
  const auto cube = parse_npy(numpy_file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }",
                                         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  ASSERT_TRUE(cube);
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 3; ++j)
      for (unsigned k = 0; k < 2; ++k) EXPECT_EQ(cube->bits((i * 3 + j) * 2 + k), i + 2 * j + 6 * k);
}

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  EXPECT_EQ(format_npy(NpyArray::from<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6})).value(),
            numpy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }",
                       {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));
  EXPECT_EQ(format_npy(NpyArray::from<float>({}, {1.5f})).value(),
            numpy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", {0, 0, 0xc0, 0x3f}));
  EXPECT_EQ(format_npy(NpyArray{{'b', 1}, {2}, {1, 0}}).value(),
            numpy_file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", {1, 0}));
  EXPECT_EQ(format_npy(NpyArray{{'u', 8}, {0, 3}, {}}).value(),
            numpy_file("{'descr': '<u8', 'fortran_order': False, 'shape': (0, 3), }", {}));
  EXPECT_EQ(format_npy(NpyArray{{'V', 2}, {1}, {0x80, 0x3f}}).value(),
            numpy_file("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", {0x80, 0x3f}));
}

TEST(Npy, OtherSpellingsOfTheHeader) {
  for (const char version : {1, 2, 3}) {
    const auto a =
        parse_npy(numpy_file("{\"shape\":(2),'fortran_order':False , 'descr':'<V2'}", {1, 2, 3, 4}, version));
    ASSERT_TRUE(a) << to_text(a.error()[0]);
    EXPECT_EQ(a->shape, std::vector<std::uint64_t>{2});
    EXPECT_EQ(a->type, (NpyType{'V', 2}));
    EXPECT_EQ(a->bits(1), 0x0403u);
  }
}

TEST(Npy, SetBitsWritesOneElement) {
  NpyArray a = NpyArray::from<std::uint32_t>({3}, {1, 2, 3});
  a.set_bits(1, 0xdeadbeef);
  EXPECT_EQ(a.values<std::uint32_t>(), (std::vector<std::uint32_t>{1, 0xdeadbeef, 3}));
  EXPECT_EQ(a.count(), 3u);
}

Code code_of(const Bytes& file) {
  const auto r = parse_npy(file);
  EXPECT_FALSE(r) << as_text(file).substr(10);
  return r ? Code::io_error : r.error()[0].code;
}

TEST(Npy, EveryWrongHeaderIsAnError) {
  for (const char* text : {"",
                           "{",
                           "{}",
                           "[]",
                           "{'descr': '<i2', 'fortran_order': False}",
                           "{'descr': '<i2', 'shape': (1,)}",
                           "{'fortran_order': False, 'shape': (1,)}",
                           "{'descr': 'i2', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '|i2', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '=i2', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<i3', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<V0', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<V99999999999', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<i2', 'fortran_order': 0, 'shape': (1,)}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': 1}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (-1,)}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (1 1)}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (1,",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775807, 0)}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
                           "{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (1,), 'x': 1}",
                           "{'descr': '<i2', 'fortran_order': False, 'shape': (1,)} x",
                           "{'descr': '<i2' 'fortran_order': False, 'shape': (1,)}",
                           "{'descr':'<i2','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                           "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}"})
    EXPECT_EQ(code_of(numpy_file(text, {1, 0})), Code::bad_npy) << text;
}

TEST(Npy, EveryTruncationIsAnErrorAndSoIsTrailingData) {
  const Bytes whole = numpy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", {1, 0, 2, 0});
  ASSERT_TRUE(parse_npy(whole));
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(parse_npy(std::span(whole).first(n))) << n;
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_EQ(code_of(longer), Code::bad_size);
  EXPECT_EQ(
      code_of(numpy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (1000000000000,), }", {1, 0})),
      Code::bad_size);
}

TEST(Npy, VersionMagicAndHeaderLengthAreChecked) {
  const std::string dictionary = "{'descr': '<i2', 'fortran_order': False, 'shape': (1,), }";
  EXPECT_EQ(code_of(numpy_file(dictionary, {1, 0}, 4)), Code::bad_npy);
  Bytes other = numpy_file(dictionary, {1, 0});
  other[0] = 0;
  EXPECT_EQ(code_of(other), Code::bad_npy);
  Bytes long_header = numpy_file(dictionary, {1, 0}, 2);
  long_header[11] = 0x7f;
  EXPECT_EQ(code_of(long_header), Code::bad_npy);
}

TEST(Npy, ArraysThatDisagreeWithThemselvesAreNotWritten) {
  EXPECT_FALSE(format_npy(NpyArray{{'i', 2}, {2}, {1, 2, 3}}));
  EXPECT_FALSE(format_npy(NpyArray{{'i', 2}, {2}, {1, 2, 3, 4, 5}}));
  EXPECT_FALSE(format_npy(NpyArray{{'c', 8}, {1}, Bytes(8)}));
  EXPECT_FALSE(format_npy(NpyArray{{'i', 2}, std::vector<std::uint64_t>(33, 1), {1, 2}}));
}

TEST(Npy, FilesRoundTripAndErrorsNameTheFile) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("actkit_npy_" + std::to_string(::getpid()))).string();
  const NpyArray a = NpyArray::from<double>({2, 2}, {1, 2, 3, 4});
  ASSERT_TRUE(write_npy(path, a));
  const auto b = read_npy(path);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->data, a.data);
  EXPECT_EQ(b->shape, a.shape);
  ASSERT_TRUE(write_text(path, "no array"));
  const auto bad = read_npy(path);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error()[0].where.file, path);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace act
