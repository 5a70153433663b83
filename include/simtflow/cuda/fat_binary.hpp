// SPDX-License-Identifier: BSL-1.0
//
// Fat binaries: the container in which nvcc puts a program's PTX and machine code, an image for each architecture.
//
//   wrapper    the structure that a program registers; it points to a container (version 1), or to a container with
//              linked machine code and a null-terminated list of the containers that were linked (version 2: -rdc=true)
//   container  u32 0xBA55ED50, u16 version 1, u16 header bytes, u64 bytes of all entries; the entries follow
//   entry      u16 kind (1 PTX, 2 ELF), u16 version, u32 header bytes, u64 payload bytes (a multiple of 8); at +16 u32
//              packed bytes, at +28 u32 architecture, at +40 u64 flags, at +56 u64 unpacked bytes; the payload follows
//
// All numbers are little endian. Flags: 1 addresses of 64 bits, 2 debug information, 0x2000 an LZ4 block, 0x8000 a zstd
// frame, 0x100000 the architecture's own features ("sm_90a"), 0x200000 the features of its family ("sm_100f").
//
// Every byte of a container is checked before it is used; a hostile container gives diagnostics. The library itself
// unpacks nothing: the caller passes a function that knows LZ4 and zstd.
//
// Literature: the layout has no public document; fatbinary_section.h of the CUDA Toolkit declares the wrapper.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
/// A CUDA runtime's parts over the simulator.
namespace cuda {

/// The kinds of images in a fat binary.
enum class image_kind : std::uint8_t {
  ptx,   ///< PTX text
  elf,   ///< machine code
  other  ///< an intermediate representation of the compiler, or unknown
};

/// The ways in which a payload is stored.
enum class image_packing : std::uint8_t {
  none,  ///< as it is
  lz4,   ///< one LZ4 block, without a frame: older toolkits and --compress-mode=speed
  zstd   ///< a zstd frame: the default of newer toolkits
};

/// One image of a fat binary. The payload belongs to the bytes that were read.
struct fat_image {
  image_kind kind = image_kind::other;          ///< what it is
  image_packing packing = image_packing::none;  ///< how it is stored
  std::uint32_t architecture = 0;               ///< 75 for compute_75 and sm_75
  char variant = '\0';                          ///< 'a' of "sm_90a", 'f' of "sm_100f"; else 0
  bool is_64_bit = true;                        ///< True if its addresses have 64 bits
  bool has_debug_information = false;           ///< True if it was compiled with -G
  std::span<const std::byte> payload;           ///< as stored, without padding after packed bytes
  std::uint64_t unpacked_bytes = 0;             ///< of the payload once unpacked
};

/// The images of one container, in their order.
struct fat_binary {
  std::vector<fat_image> images;  ///< there may be none
  std::uint64_t bytes = 0;        ///< of the container, its header included: a section holds one after the other
};

/// Unpacks `packed` into `unpacked`. \returns the number of bytes written, 0 if `packed` is broken or `how` is not
/// served. It must never write past the end of `unpacked`.
using unpack_function = std::size_t (*)(image_packing how, std::span<const std::byte> packed,
                                        std::span<std::byte> unpacked);

/// The first bytes of what cuModuleLoadData and __cudaRegisterFatBinary take.
enum class image_format : std::uint8_t {
  container,  ///< a fat binary
  wrapper,    ///< a structure that points to fat binaries
  elf,        ///< machine code
  text        ///< anything else: PTX, with a zero byte after it
};

namespace detail {

inline constexpr std::uint32_t container_magic = 0xBA55'ED50U;
inline constexpr std::uint32_t wrapper_magic = 0x4662'43B1U;
inline constexpr std::uint64_t entry_bytes = 64;
// A hostile header cannot make us allocate more than that; 40,000 is more than zstd's largest ratio.
inline constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t most_unpacked_ratio = 40'000;

/// The little-endian number of `size` bytes at `at`. \pre it lies inside
inline std::uint64_t little_endian(std::span<const std::byte> bytes, std::uint64_t at, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = size; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(at + i)]);
  return value;
}

inline diagnostics broken_at(std::uint64_t byte, std::string what) {
  return {{{}, "byte " + std::to_string(byte) + ": " + std::move(what)}};
}

}  // namespace detail

/// The format of an image, by its first bytes.
/// \param image at least four bytes, or text that ends with a zero byte. \returns text if nothing else fits.
[[nodiscard]] inline image_format format_of(const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  std::uint32_t magic = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (bytes[i] == 0) return image_format::text;  // none of the numbers has a zero byte
    magic |= static_cast<std::uint32_t>(bytes[i]) << 8 * i;
  }
  if (magic == detail::container_magic) return image_format::container;
  if (magic == detail::wrapper_magic) return image_format::wrapper;
  return magic == 0x464C'457FU ? image_format::elf : image_format::text;
}

/// Reads the container at the beginning of `bytes`. O(images).
/// \param bytes any bytes; more may follow after the container. They must live as long as the result is used.
/// \returns its images; or one diagnostic, with the number of the byte, if the container is broken.
[[nodiscard]] inline result<fat_binary> read_fat_binary(std::span<const std::byte> bytes) {
  using detail::broken_at;
  using detail::little_endian;
  if (bytes.size() < 16) return broken_at(bytes.size(), "a fat binary has a header of 16 bytes");
  if (little_endian(bytes, 0, 4) != detail::container_magic) return broken_at(0, "this is no fat binary");
  if (little_endian(bytes, 4, 2) != 1) return broken_at(4, "only version 1 of fat binaries is known");
  std::uint64_t at = little_endian(bytes, 6, 2);
  if (at < 16 || at > bytes.size()) return broken_at(6, "a fat binary has a header of 16 bytes");
  const std::uint64_t all = little_endian(bytes, 8, 8);
  if (all > bytes.size() - at) return broken_at(8, "the entries of the fat binary are cut off");
  const std::uint64_t end = at + all;
  fat_binary read;
  read.bytes = end;
  while (at != end) {
    if (end - at < detail::entry_bytes) return broken_at(at, "an image has a header of 64 bytes");
    const std::uint64_t header = little_endian(bytes, at + 4, 4);
    const std::uint64_t payload = little_endian(bytes, at + 8, 8);
    if (header < detail::entry_bytes || header > end - at)
      return broken_at(at + 4, "the header of an image has " + std::to_string(header) + " bytes");
    if (payload > end - at - header) return broken_at(at + 8, "the payload of an image is cut off");
    const std::uint64_t kind = little_endian(bytes, at, 2);
    const std::uint64_t packed = little_endian(bytes, at + 16, 4);
    const std::uint64_t flags = little_endian(bytes, at + 40, 8);
    fat_image image;
    image.kind = kind == 1 ? image_kind::ptx : kind == 2 ? image_kind::elf : image_kind::other;
    image.architecture = static_cast<std::uint32_t>(little_endian(bytes, at + 28, 4));
    image.is_64_bit = (flags & 1) != 0;
    image.has_debug_information = (flags & 2) != 0;
    image.variant = (flags & 0x10'0000) != 0 ? 'a' : (flags & 0x20'0000) != 0 ? 'f' : '\0';
    image.packing = (flags & 0x8000) != 0   ? image_packing::zstd
                    : (flags & 0x2000) != 0 ? image_packing::lz4
                                            : image_packing::none;
    const bool is_packed = image.packing != image_packing::none;
    if (is_packed && packed > payload) return broken_at(at + 16, "the payload of an image is cut off");
    const std::uint64_t stored = is_packed && packed != 0 ? packed : payload;
    image.payload = bytes.subspan(static_cast<std::size_t>(at + header), static_cast<std::size_t>(stored));
    image.unpacked_bytes = is_packed ? little_endian(bytes, at + 56, 8) : stored;
    read.images.push_back(image);
    at += header + payload;
  }
  return read;
}

/// The containers that a registered wrapper points to: with version 2 the linked machine code first, then the fat
/// binaries that were linked, which have the PTX.
/// \param wrapper what __cudaRegisterFatBinary gets. Its memory is trusted: the header of each container says how many
/// bytes there are. \returns one or more spans of bytes for read_fat_binary(); or one diagnostic if this is no wrapper,
/// or if it points to something else.
[[nodiscard]] inline result<std::vector<std::span<const std::byte>>> containers_of(const void* wrapper) {
  struct layout {
    std::uint32_t magic;
    std::uint32_t version;
    const void* data;
    const void* const* linked;
  } w;
  std::memcpy(&w, wrapper, sizeof w);
  if (w.magic != detail::wrapper_magic) return detail::broken_at(0, "this is no wrapper of a fat binary");
  if (w.version != 1 && w.version != 2) return detail::broken_at(4, "only versions 1 and 2 of wrappers are known");
  std::vector<std::span<const std::byte>> found;
  const auto add = [&found](const void* container) {
    if (format_of(container) != image_format::container) return false;
    const std::span<const std::byte> head(static_cast<const std::byte*>(container), 16);
    const std::uint64_t size = detail::little_endian(head, 6, 2) + detail::little_endian(head, 8, 8);
    if (size > static_cast<std::size_t>(-1) / 2) return false;
    found.push_back({head.data(), static_cast<std::size_t>(size)});
    return true;
  };
  if (w.data != nullptr && !add(w.data)) return detail::broken_at(8, "the wrapper points to no fat binary");
  if (w.version == 2 && w.linked != nullptr)
    for (const void* const* next = w.linked; *next != nullptr; ++next)
      if (!add(*next)) return detail::broken_at(16, "the wrapper's list holds something that is no fat binary");
  if (found.empty()) return detail::broken_at(8, "the wrapper points to nothing");
  return found;
}

/// The PTX image to run: the highest architecture that is not above `at_most`, or the lowest one if all are above. Only
/// images with addresses of 64 bits count. An image without features of its own ("90") goes before one with them.
/// \param f the images. \param at_most the architecture of the device: 75; by default the newest PTX is taken.
/// \returns null if there is no PTX: machine code alone cannot run here. O(images).
[[nodiscard]] inline const fat_image* best_ptx(const fat_binary& f, std::uint32_t at_most = 0xFFFF'FFFFU) {
  const auto is_better = [at_most](const fat_image& a, const fat_image& b) {
    const bool fits = a.architecture <= at_most;
    if (fits != (b.architecture <= at_most)) return fits;
    if (a.architecture != b.architecture) return (a.architecture > b.architecture) == fits;
    return a.variant == '\0' && b.variant != '\0';
  };
  const fat_image* best = nullptr;
  for (const fat_image& i : f.images)
    if (i.kind == image_kind::ptx && i.is_64_bit && (best == nullptr || is_better(i, *best))) best = &i;
  return best;
}

/// The text of a PTX image, without the zero byte after it.
/// \param image an image of a container. \param unpack knows LZ4 and zstd; null: packed images are refused.
/// \returns the text; or one diagnostic if the payload cannot be unpacked. Linear in the text.
/// \pre image.kind is ptx.
[[nodiscard]] inline result<std::string> ptx_text(const fat_image& image, unpack_function unpack = nullptr) {
  SIMTFLOW_EXPECTS(image.kind == image_kind::ptx, "only an image of PTX has a text");
  std::string text;
  if (image.packing == image_packing::none) {
    text.assign(reinterpret_cast<const char*>(image.payload.data()), image.payload.size());
  } else {
    const std::string how = image.packing == image_packing::zstd ? "zstd" : "LZ4";
    if (unpack == nullptr)
      return diagnostics{{{}, "the PTX is packed with " + how + ", which is not built in: compile with -no-compress"}};
    if (image.unpacked_bytes == 0 || image.unpacked_bytes > detail::most_unpacked_bytes ||
        image.unpacked_bytes / detail::most_unpacked_ratio > image.payload.size())
      return diagnostics{{{},
                          "an image of " + std::to_string(image.unpacked_bytes) +
                              " unpacked bytes is no PTX: the fat binary is broken"}};
    text.resize(static_cast<std::size_t>(image.unpacked_bytes));
    const std::size_t written =
        unpack(image.packing, image.payload, {reinterpret_cast<std::byte*>(text.data()), text.size()});
    if (written == 0 || written > text.size())
      return diagnostics{{{}, "the PTX is not a sound " + how + " stream: the fat binary is broken"}};
    text.resize(written);
  }
  if (const std::size_t end = text.find('\0'); end != std::string::npos) text.resize(end);
  return text;
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
