// SPDX-License-Identifier: BSL-1.0
//
// Memory divergence. A load of a warp takes as many transactions as its lanes touch lines of memory (128 bytes), and as
// many passes over shared memory as its lanes want different words of one bank. No branch is involved: the addresses
// decide. A matrix that is transposed shows both.
#include "svg_shapes.hpp"
#include "write_picture.hpp"
#include <simtflow/io/block_colours.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

int main(int argc, char** argv) {
  // [access]
  // Adds a load or store of one warp to the figures; word(lane) is the word that the lane wants.
  const auto access = [](memory_metrics& figures, memory_space space, auto word) {
    std::vector<std::uint64_t> addresses;
    for (unsigned lane = 0; lane < 32; ++lane) addresses.push_back(4 * word(lane));
    event::memory_access<lane_mask> e{};
    e.space = space;
    e.bytes = 4;
    e.lanes = lane_mask::first_lanes(32);
    e.addresses = addresses;
    figures(e);
  };
  struct pattern {
    const char* name;
    unsigned (*word)(unsigned lane);
  };
  const pattern patterns[] = {{"word lane", [](unsigned lane) { return lane; }},
                              {"word 31 - lane", [](unsigned lane) { return 31 - lane; }},
                              {"the same word", [](unsigned) { return 0U; }},
                              {"word lane + 16", [](unsigned lane) { return lane + 16; }},
                              {"word 2 lane", [](unsigned lane) { return 2 * lane; }},
                              {"word 8 lane", [](unsigned lane) { return 8 * lane; }},
                              {"word 32 lane", [](unsigned lane) { return 32 * lane; }},
                              {"word 33 lane", [](unsigned lane) { return 33 * lane; }}};
  std::printf("                   lines   passes over shared memory\n");
  for (const pattern& p : patterns) {
    memory_metrics m;
    access(m, memory_space::global, p.word);
    access(m, memory_space::shared, p.word);
    std::printf("%-16s %7d %7d\n", p.name, int(m.transactions), int(m.bank_passes));
  }
  // [/access]
  // [transpose]
  // out[column][row] = in[row][column] for 32 x 32 words, one warp: directly, and by way of a tile in shared memory
  // with rows of `pitch` words.
  memory_metrics direct;
  for (unsigned row = 0; row < 32; ++row) {
    access(direct, memory_space::global, [=](unsigned lane) { return 32 * row + lane; });  // load in
    access(direct, memory_space::global, [=](unsigned lane) { return 32 * lane + row; });  // store out
  }
  std::printf("transposed directly: %d transactions\n", int(direct.transactions));
  for (const unsigned pitch : {32U, 33U}) {
    memory_metrics tile;
    for (unsigned row = 0; row < 32; ++row) {
      access(tile, memory_space::global, [=](unsigned lane) { return 32 * row + lane; });     // load in
      access(tile, memory_space::shared, [=](unsigned lane) { return pitch * row + lane; });  // store tile
    }
    for (unsigned row = 0; row < 32; ++row) {
      access(tile, memory_space::shared, [=](unsigned lane) { return pitch * lane + row; });  // load tile
      access(tile, memory_space::global, [=](unsigned lane) { return 32 * row + lane; });     // store out
    }
    std::printf("by way of a tile with rows of %u words: %d transactions, %d passes\n", pitch, int(tile.transactions),
                int(tile.bank_passes));
  }
  // [/transpose]
  // The picture. Left, a square is a lane; right, a square is a pass.
  std::string svg = svg_begin(840, 300) + svg_text(20, 20, "Global memory: lanes of one colour share a transaction") +
                    svg_text(500, 20, "Shared memory: a square is a pass") + svg_text(130, 40, "lane 0") +
                    svg_text(405, 40, "31");
  int y = 50;
  for (const pattern& p : patterns) {
    memory_metrics m;
    access(m, memory_space::global, p.word);
    access(m, memory_space::shared, p.word);
    svg += svg_text(20, y + 14, p.name) + svg_text(428, y + 14, std::to_string(m.transactions)) +
           svg_text(804, y + 14, std::to_string(m.bank_passes));
    for (unsigned lane = 0; lane < 32; ++lane)
      svg += svg_box(130 + 9 * int(lane), y, 8, 18, to_string(block_colour(p.word(lane) / 32)).c_str());
    for (unsigned pass = 0; pass < m.bank_passes; ++pass) svg += svg_box(500 + 9 * int(pass), y, 8, 18, "#4477aa");
    y += 30;
  }
  return write_picture(argc, argv, svg + svg_end);
}
