// SPDX-License-Identifier: BSL-1.0
//
// Lanes of a warp exchange values. The oracle is the manual's pseudo-code over whole warps, with lanes as numbers and
// sets as arrays of bool.
#include "ptx/machine_support.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;
using namespace ptx_test;

namespace {

using words = std::vector<std::uint32_t>;

struct shape {
  std::uint32_t threads, width;
};
constexpr shape shapes[] = {{64, 32}, {32, 32}, {50, 32}, {64, 64}, {100, 64}, {24, 8}, {7, 4}, {3, 1}, {40, 16}};

/// The lanes that exchange values: neighbours of one warp, at most 32.
struct piece {
  std::uint32_t first, size;
};
std::vector<piece> pieces_of(const shape& s) {
  std::vector<piece> all;
  for (std::uint32_t warp = 0; warp < s.threads; warp += s.width)
    for (std::uint32_t at = warp; at < warp + s.width && at < s.threads; at += 32) {
      const std::uint32_t end = std::min({at + 32, warp + s.width, s.threads});
      all.push_back({at, end - at});
    }
  return all;
}

words random_words(std::uint64_t seed, std::size_t n, std::uint32_t below = 0) {
  random_bits next{seed};
  words all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(static_cast<std::uint32_t>(below == 0 ? next() : next() % below));
  return all;
}

/// Runs a body under the policies that keep lanes together and wants the same of all.
words agreed(std::string_view body, const shape& s, const words& in, std::span<const way> ways = together) {
  const ptx::decoded_kernel k = decoded(with_thread_number(body));
  words first;
  for (const way w : ways) {
    const machine_result r = run_under(w, k, block_of(s.threads, s.width), {in, s.threads});
    CAPTURE(name_of(w));
    CAPTURE(body);
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    if (w == ways[0])
      first = r.out;
    else
      CHECK(r.out == first);
  }
  return first;
}

}  // namespace

TEST_CASE("ptx warp ops: shfl in all modes, with segments, against the manual's pseudo-code") {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const bool sync : {true, false}) {
      const std::string body =
          "ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+512]; ld.global.u32 %r3, [%in+1024]; "
          "mov.u32 %r5, 7; shfl" +
          std::string(sync ? ".sync" : "") + "." + mode + ".b32 %r5|%p1, %r1, %r2, %r3" + (sync ? ", -1" : "") +
          "; selp.u32 %r6, 1, 0, %p1; shl.b32 %r6, %r6, 31; and.b32 %r5, %r5, 0x7fffffff; or.b32 %r5, %r5, %r6; "
          "st.global.u32 [%out], %r5;";
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const shape s = shapes[seed % std::size(shapes)];
        words in = random_words(seed * 77 + 1, 384);
        for (std::size_t i = 0; i < 128; ++i) {
          in[i] &= 0x7FFF'FFFFU;
          in[256 + i] = (in[256 + i] & 0x1F1FU);  // clamp and segment mask
          if (seed < 2) in[256 + i] = mode == "up" ? 0 : 31;
        }
        const words got = agreed(body, s, in);
        for (const piece p : pieces_of(s))
          for (std::uint32_t lane = 0; lane < p.size; ++lane) {
            const std::uint32_t at = p.first + lane;
            const int bval = static_cast<int>(in[128 + at] % 32), cval = static_cast<int>(in[256 + at] % 32);
            const std::uint32_t segmask = in[256 + at] / 256 % 32;
            const int most = static_cast<int>((lane & segmask) | (static_cast<std::uint32_t>(cval) & ~segmask));
            const int least = static_cast<int>(lane & segmask);
            int j = 0;
            bool pval = false;
            if (mode == "up") j = static_cast<int>(lane) - bval, pval = j >= most;
            if (mode == "down") j = static_cast<int>(lane) + bval, pval = j <= most;
            if (mode == "bfly") j = static_cast<int>(lane) ^ bval, pval = j <= most;
            if (mode == "idx")
              j = least | static_cast<int>(static_cast<std::uint32_t>(bval) & ~segmask), pval = j <= most;
            if (!pval || j >= static_cast<int>(p.size)) j = static_cast<int>(lane);  // beyond the warp: nobody is there
            const std::uint32_t wanted = in[p.first + static_cast<std::uint32_t>(j)] | (pval ? 0x8000'0000U : 0);
            CAPTURE(mode);
            CAPTURE(s.width);
            CAPTURE(at);
            CHECK(got[at] == wanted);
          }
      }
    }
  }
}

TEST_CASE("ptx warp ops: votes, matches, reductions, elections among the lanes of a branch") {
  // Lanes are in the arm of t % 3; each arm asks for itself.
  struct question {
    std::string code;  // of %r1 (few values), members %r9, answer %r5
    std::uint32_t (*answer)(const std::vector<std::uint32_t>& mine, std::uint32_t members, std::uint32_t lane);
  };
  using list = const std::vector<std::uint32_t>&;
  const question questions[] = {
      {"setp.ne.u32 %p5, %r1, 0; vote.sync.all.pred %p1, %p5, %r9; selp.u32 %r5, 1, 0, %p1;",
       [](list v, std::uint32_t m, std::uint32_t) {
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0 && v[i] == 0) return 0U;
         return 1U;
       }},
      {"setp.eq.u32 %p5, %r1, 2; vote.sync.any.pred %p1, !%p5, %r9; selp.u32 %r5, 1, 0, %p1;",
       [](list v, std::uint32_t m, std::uint32_t) {
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0 && v[i] != 2) return 1U;
         return 0U;
       }},
      {"setp.eq.u32 %p5, %r1, 1; vote.sync.uni.pred %p1, %p5, %r9; selp.u32 %r5, 1, 0, %p1;",
       [](list v, std::uint32_t m, std::uint32_t) {
         std::uint32_t yes = 0, no = 0;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0) (v[i] == 1 ? yes : no) = 1;
         return yes + no == 1 ? 1U : 0U;
       }},
      {"setp.eq.u32 %p5, %r1, 1; vote.ballot.b32 %r5, %p5;",
       [](list v, std::uint32_t m, std::uint32_t) {
         std::uint32_t b = 0;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0 && v[i] == 1) b |= 1U << i;
         return b;
       }},
      {"match.any.sync.b32 %r5, %r1, %r9;",
       [](list v, std::uint32_t m, std::uint32_t lane) {
         std::uint32_t b = 0;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0 && v[i] == v[lane]) b |= 1U << i;
         return b;
       }},
      {"cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 40; match.all.sync.b64 %r5|%p1, %rd1, %r9; selp.u32 %r6, 256, 0, "
       "%p1; or.b32 %r5, %r5, %r6;",
       [](list v, std::uint32_t m, std::uint32_t lane) {
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0 && v[i] != v[lane]) return 0U;
         return m | 256;
       }},
      {"sub.u32 %r2, 1, %r1; redux.sync.add.s32 %r5, %r2, %r9;",
       [](list v, std::uint32_t m, std::uint32_t) {
         std::uint32_t sum = 0;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0) sum += 1 - v[i];
         return sum;
       }},
      {"sub.u32 %r2, 1, %r1; redux.sync.min.s32 %r5, %r2, %r9;",
       [](list v, std::uint32_t m, std::uint32_t) {
         int least = 1;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0) least = std::min(least, 1 - static_cast<int>(v[i]));
         return static_cast<std::uint32_t>(least);
       }},
      {"sub.u32 %r2, 1, %r1; redux.sync.max.u32 %r5, %r2, %r9;",
       [](list v, std::uint32_t m, std::uint32_t) {
         std::uint32_t most = 0;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0) most = std::max(most, 1 - v[i]);
         return most;
       }},
      {"add.u32 %r2, %r1, 4; redux.sync.xor.b32 %r5, %r2, %r9; redux.sync.and.b32 %r3, %r2, %r9; redux.sync.or.b32 "
       "%r4, %r2, %r9; shl.b32 %r3, %r3, 8; shl.b32 %r4, %r4, 16; or.b32 %r5, %r5, %r3; or.b32 %r5, %r5, %r4;",
       [](list v, std::uint32_t m, std::uint32_t) {
         std::uint32_t x = 0, a = ~0U, o = 0;
         for (std::uint32_t i = 0; i < v.size(); ++i)
           if (((m >> i) & 1U) != 0) x ^= v[i] + 4, a &= v[i] + 4, o |= v[i] + 4;
         return x | a << 8 | o << 16;
       }},
      {"elect.sync %r5|%p1, %r9; selp.u32 %r6, 256, 0, %p1; or.b32 %r5, %r5, %r6; elect.sync _|%p2, %r9; selp.u32 %r6, "
       "512, 0, %p2; or.b32 %r5, %r5, %r6; bar.warp.sync %r9;",
       [](list, std::uint32_t m, std::uint32_t lane) {
         std::uint32_t first = 0;
         while (((m >> first) & 1U) == 0) ++first;
         return first | (first == lane ? 768U : 0U);
       }},
      {"activemask.b32 %r5; mov.u32 %r2, %lanemask_lt; and.b32 %r5, %r5, %r2;",
       [](list, std::uint32_t m, std::uint32_t lane) { return m & ((1U << lane) - 1); }},
  };
  for (const question& q : questions) {
    const std::string body =
        "ld.global.u32 %r1, [%in]; rem.u32 %r8, %t, 3;\n"
        "setp.eq.u32 %p8, %r8, 0; @%p8 bra zero; setp.eq.u32 %p8, %r8, 1; @%p8 bra one;\n"
        "activemask.b32 %r9; " +
        q.code +
        " bra.uni join;\n"
        "zero: activemask.b32 %r9; " +
        q.code +
        " bra.uni join;\n"
        "one: activemask.b32 %r9; " +
        q.code + "\njoin: st.global.u32 [%out], %r5;";
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      const shape s = shapes[seed];
      const words in = random_words(seed + 5, s.threads, static_cast<std::uint32_t>(seed % 3 + 1));
      const words got = agreed(body, s, in);
      for (const piece p : pieces_of(s)) {
        const std::vector<std::uint32_t> mine(in.begin() + p.first, in.begin() + p.first + p.size);
        for (std::uint32_t lane = 0; lane < p.size; ++lane) {
          std::uint32_t members = 0;
          for (std::uint32_t i = 0; i < p.size; ++i)
            if ((p.first + i) % 3 == (p.first + lane) % 3) members |= 1U << i;
          CAPTURE(q.code);
          CAPTURE(s.width);
          CAPTURE(p.first + lane);
          CHECK(got[p.first + lane] == q.answer(mine, members, lane));
        }
      }
    }
  }
}

TEST_CASE("ptx warp ops: lane masks") {
  const words got = agreed(
      "mov.u32 %r1, %lanemask_eq; mov.u32 %r2, %lanemask_le; mov.u32 %r3, %lanemask_ge; mov.u32 %r4, "
      "%lanemask_gt; xor.b32 %r2, %r2, %r4; and.b32 %r2, %r2, %r3; add.u32 %r5, %r1, %r1; "
      "xor.b32 %r5, %r5, %r2; st.global.u32 [%out], %r5;",
      {64, 32}, {});
  // (le ^ gt) is all ones, so what is left is ge; with eq taken twice, its bit moves to the left.
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t lane = t % 32;
    CHECK(got[t] == ((~0U << lane) ^ (2U << lane)));
  }
}

TEST_CASE("ptx warp ops: two groups with masks of their own at one instruction; lanes that have ended do not count") {
  const words both = agreed(
      "and.b32 %r1, %t, 16; setp.eq.u32 %p1, %r1, 0; selp.u32 %r2, 0xffff, 0xffff0000, %p1; "
      "redux.sync.add.u32 %r5, %t, %r2; st.global.u32 [%out], %r5;",
      {64, 32}, {});
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(both[t] == (t / 16 * 16) * 16 + 120);

  const words some = agreed(
      "setp.lt.u32 %p1, %t, 40; and.b32 %r1, %t, 1; setp.eq.u32 %p2, %r1, 0; and.pred %p1, %p1, "
      "%p2; @%p1 exit; redux.sync.add.u32 %r5, 1, -1; st.global.u32 [%out], %r5;",
      {64, 32}, {}, std::span<const way>(together).first(2));  // compaction mixes the warps here
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(some[t] == (t < 40 && t % 2 == 0 ? 0U : t < 32 ? 16U : 28U));
}

TEST_CASE("ptx warp ops: lanes that are not together are a fault that says which") {
  const auto fault = [](std::string_view body, way w, std::uint32_t threads = 32) {
    const machine_result r = run_under(w, decoded(with_thread_number(body)), block_of(threads), {{}, threads});
    CHECK(r.how == outcome::fault);
    CHECK(r.fault.kind == ptx::fault_kind::bad_exchange);
    return r.fault.describe();
  };
  constexpr std::string_view half = "setp.lt.u32 %p1, %t, 20; @%p1 bra done;\nredux.sync.add.u32 %r5, %t, -1; done:";
  CHECK(fault(half, way::frontier) ==
        "kernel 'k', line 12, column 1, block 1, thread (20, 0, 0) of thread block (0, 0, 0): 'redux.sync.add.u32' is "
        "not "
        "for the lanes that run it: lanes 0-19 of member mask 0xffffffff not together with it");
  CHECK(fault("redux.sync.add.u32 %r5, %t, 0xff;", way::pdom)
            .ends_with("thread (8, 0, 0) of thread block (0, 0, 0): 'redux.sync.add.u32' is not for the lanes that run "
                       "it: lanes 8-31 not in "
                       "its member mask 0xff"));
  CHECK(
      fault(
          "setp.eq.u32 %p1, %t, 5; selp.u32 %r1, 0xffffffdf, -1, %p1; xor.b32 %r1, %r1, 0; shfl.sync.idx.b32 %r2, %t, "
          "0, 31, %r1;",
          way::pdom)
          .ends_with("lane 5 of member mask 0xffffffff with another mask"));
  CHECK(fault("setp.eq.u32 %p1, %t, 5; @!%p1 vote.sync.any.pred %p2, %p1, -1;", way::pdom)
            .ends_with("lane 5 of member mask 0xffffffff not together with it"));
  CHECK(fault("bar.warp.sync -1;", way::serial).ends_with("lanes 1-31 of member mask 0xffffffff not together with it"));
  CHECK(fault("setp.eq.u32 %p1, %t, 39; @%p1 bra done; bar.warp.sync -1; done:", way::frontier, 40)
            .ends_with("lane 7 of member mask 0xffffffff not together with it"));
}

TEST_CASE("ptx warp ops: warps that a policy forms anew keep what their numbers say") {
  // Under compaction, threads of several warps meet; each warp of 8 reduces for itself.
  const words got =
      agreed("shr.u32 %r1, %t, 3; redux.sync.add.u32 %r5, %r1, 0xff; st.global.u32 [%out], %r5;", {64, 8}, {});
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == t / 8 * 8);
  const ptx::decoded_kernel k = decoded(with_thread_number("bar.warp.sync -1;"));
  ptx::launch_config l = block_of(60, 20);
  ptx::arguments args(k);
  args.set(0, std::uint64_t{0});
  args.set(1, std::uint64_t{0});
  args.set(2, 0U);
  CHECK(ptx::check_launch(k, l, args).empty());
  l.group_width = 60;
  CHECK(
      text_of(ptx::check_launch(k, l, args)) ==
      "a warp of 20 lanes whose lanes exchange values under a policy that forms warps anew: it is a part or a multiple "
      "of 32\n");
}
