// SPDX-License-Identifier: BSL-1.0
//
// Lanes of a warp exchange values. The oracle is the manual's pseudo-code over whole warps, with lanes as numbers and
// sets as arrays of bool.
#include "ptx/run_support.hpp"
#include "support/long_run.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

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

/// A kernel in a version of PTX that still has the forms without .sync for this target.
std::string before_sync(std::string_view body) {
  std::string text = with_thread_number(body);
  return text.replace(text.find("9.0"), 3, "6.3");
}

/// Runs a body under the policies that keep lanes together and wants the same of all.
words agreed(std::string_view body, const shape& s, const words& in, std::span<const way> ways = together) {
  CAPTURE(body);
  return simtflow_tests::agreed(before_sync(body), block_of(s.threads, s.width), in, s.threads, ways);
}

}  // namespace

TEST_CASE("warp ops: shfl in all modes, with segments, against the manual's pseudo-code") {
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
        if (sync) CHECK(agreed(body, s, in, never_joining) == got);
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

TEST_CASE("warp ops: votes, matches, reductions, elections among the lanes of a branch") {
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
    const auto with = [&](const std::string& members, const std::string& before) {
      return "ld.global.u32 %r1, [%in]; rem.u32 %r8, %t, 3;\n" + before +
             "setp.eq.u32 %p8, %r8, 0; @%p8 bra zero; setp.eq.u32 %p8, %r8, 1; @%p8 bra one;\n" + members + q.code +
             " bra.uni join;\nzero: " + members + q.code + " bra.uni join;\none: " + members + q.code +
             "\njoin: st.global.u32 [%out], %r5;";
    };
    const std::string body = with("activemask.b32 %r9; ", "");
    const std::string by_name = with("", "match.any.sync.b32 %r9, %r8, -1;\n");  // lanes need not be together
    const bool of_company =
        q.code.find("activemask") != std::string::npos || q.code.find("vote.b") != std::string::npos;
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      const shape s = shapes[seed];
      const words in = random_words(seed + 5, s.threads, static_cast<std::uint32_t>(seed % 3 + 1));
      const words got = agreed(body, s, in);
      CHECK(agreed(by_name, s, in) == got);
      if (!of_company) CHECK(agreed(by_name, s, in, never_joining) == got);
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

TEST_CASE("warp ops: lane masks") {
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

TEST_CASE("warp ops: two groups with masks of their own at one instruction; lanes that have ended do not count") {
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

TEST_CASE("warp ops: lanes that never join meet at exchanges, wherever they come from") {
  struct meeting {
    const char* what;
    std::string body;
    std::uint32_t (*answer)(std::uint32_t t, std::uint32_t threads);
  };
  const auto warp_of = [](std::uint32_t t, std::uint32_t threads) { return std::min(32U, threads - t / 32 * 32); };
  static constexpr auto warp = warp_of;
  const meeting meetings[] = {
      {"after loops of different lengths",
       "mov.u32 %r1, %t;\nloop: setp.lt.u32 %p1, %r1, 7; @%p1 bra off; sub.u32 %r1, "
       "%r1, 7; bra.uni loop;\noff: redux.sync.add.u32 %r5, 1, -1; st.global.u32 [%out], %r5;",
       [](std::uint32_t t, std::uint32_t threads) { return warp(t, threads); }},
      {"each turn of a loop, in the middle of its block",
       "mov.u32 %r1, 0; mov.u32 %r5, 0;\nloop: shfl.sync.bfly.b32 %r2, %r5, 1, 31, -1; add.u32 %r5, %r2, 1; "
       "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra loop;\nst.global.u32 [%out], %r5;",
       [](std::uint32_t, std::uint32_t) { return 9U; }},
      {"lanes end before the others come: first the low ones, then the high ones",
       "rem.u32 %r1, %t, 32; setp.lt.u32 %p1, %r1, 5; @%p1 exit; setp.gt.u32 %p2, %r1, 9; @%p2 bra "
       "late;\nredux.sync.add.u32 "
       "%r5, 1, -1; st.global.u32 [%out], %r5; exit;\nlate:",
       [](std::uint32_t t, std::uint32_t threads) {
         const std::uint32_t lane = t % 32, others = warp(t, threads) < 10 ? warp(t, threads) - 5 : 5;
         return lane < 5 || lane > 9 ? 0 : others;
       }},
      {"two exchanges in one block, with a guard",
       "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r5, 7; @%p1 redux.sync.add.u32 %r5, %r5, 0x55555555; "
       "redux.sync.max.u32 %r6, %r5, -1; add.u32 %r5, %r5, %r6; st.global.u32 [%out], %r5;",
       [](std::uint32_t t, std::uint32_t threads) {
         const std::uint32_t even = 7 * ((warp(t, threads) + 1) / 2);
         return even + (t % 2 == 0 ? even : 7);
       }},
      {"over a barrier of the thread block and back",
       "redux.sync.add.u32 %r5, 1, -1; bar.sync 0; redux.sync.add.u32 %r5, %r5, -1; bar.warp.sync -1; bar.sync 0; "
       "redux.sync.min.u32 %r5, %r5, -1; st.global.u32 [%out], %r5;",
       [](std::uint32_t t, std::uint32_t threads) { return warp(t, threads) * warp(t, threads); }},
      {"inside a function",
       "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %t; call (r), of_all, (a); ld.param.b32 %r5, "
       "[r]; }\nst.global.u32 [%out], %r5;",
       [](std::uint32_t t, std::uint32_t threads) {
         std::uint32_t sum = 0;
         for (std::uint32_t i = 0; i < warp(t, threads); ++i) sum += t / 32 * 32 + i;
         return sum;
       }},
  };
  constexpr std::string_view of_all =
      ".func (.param .b32 r) of_all(.param .b32 a) { .reg .b32 %a; ld.param.b32 %a, [a]; redux.sync.add.u32 %a, %a, "
      "-1; "
      "st.param.b32 [r], %a; ret; }\n";
  for (const meeting& m : meetings)
    for (const std::uint32_t threads : {32U, 75U, 64U}) {
      const ptx::decoded_kernel k = decoded(with_thread_number(m.body, of_all));
      for (const way w : never_joining) {
        CAPTURE(m.what);
        CAPTURE(name_of(w));
        const machine_result r =
            run_under(w, k, block_of(threads), {{}, threads, 0, {.steps = 100'000, .detect_livelock = true}});
        REQUIRE_MESSAGE(r.how == outcome::finished, r.text << r.fault.describe());
        for (std::uint32_t t = 0; t < threads; ++t) {
          CAPTURE(t);
          CHECK(r.out[t] == m.answer(t, threads));
        }
      }
    }
}

TEST_CASE("warp ops: random code with exchanges computes the same whether lanes join or not") {
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(60); ++seed) {
    random_bits next{seed * 31 + 7};
    const auto number = [&](std::uint64_t below) { return std::to_string(next() % below); };
    const auto exchange = [&](const std::string& members) {  // of %r5
      switch (next() % 5) {
        case 0:
          return "shfl.sync.bfly.b32 %r6, %r5, " + number(32) + ", 31, " + members + "; add.u32 %r5, %r5, %r6;\n";
        case 1:
          return "redux.sync.xor.b32 %r6, %r5, " + members + "; mad.lo.u32 %r5, %r5, 5, %r6;\n";
        case 2:
          return "and.b32 %r6, %r5, 3; match.any.sync.b32 %r6, %r6, " + members + "; xor.b32 %r5, %r5, %r6;\n";
        case 3:
          return "and.b32 %r6, %r5, 1; setp.eq.u32 %p5, %r6, 0; vote.sync.ballot.b32 %r6, %p5, " + members +
                 "; add.u32 %r5, %r5, %r6;\n";
        default:
          return "bar.warp.sync " + members + ";\n";
      }
    };
    std::string body = "mad.lo.u32 %r5, %t, 2654435761, " + number(1000) + "; shr.u32 %r5, %r5, 3;\n";
    for (std::uint64_t i = 0, n = next() % 5 + 2; i < n; ++i) {
      const std::string id = std::to_string(i);
      switch (next() % 5) {
        case 0:  // a loop of another length in each lane
          body += "rem.u32 %r8, %r5, " + std::to_string(next() % 9 + 2) + ";\nloop" + id +
                  ": setp.eq.u32 %p1, %r8, 0; @%p1 bra after" + id +
                  ";\nsub.u32 %r8, %r8, 1; mad.lo.u32 %r5, %r5, 3, " + number(99) + "; bra.uni loop" + id + ";\nafter" +
                  id + ":\n";
          break;
        case 1:  // arms with lanes that exchange among themselves
          body += "shr.u32 %r8, %r5, " + number(9) +
                  "; and.b32 %r8, %r8, 1; match.any.sync.b32 %r9, %r8, -1; setp.eq.u32 " +
                  "%p1, %r8, 0; @%p1 bra other" + id + ";\n" + exchange("%r9") + exchange("%r9") + "bra.uni after" +
                  id + ";\nother" + id + ": " + exchange("%r9") + "after" + id + ":\n";
          break;
        case 2:  // some lanes end
          body += "rem.u32 %r8, %r5, 11; setp.eq.u32 %p1, %r8, 4; @%p1 st.global.u32 [%out], %r5; @%p1 exit;\n";
          break;
        case 3:
          body += "bar.sync 0;\n";
          break;
        default:
          body += exchange("-1");
      }
    }
    body += exchange("-1") + "st.global.u32 [%out], %r5;";
    const ptx::decoded_kernel k = decoded(with_thread_number(body));
    const std::uint32_t threads = static_cast<std::uint32_t>(next() % 90) + 2;
    CAPTURE(seed);
    CAPTURE(body);
    CAPTURE(threads);
    const machine_result joined = run_under(way::pdom, k, block_of(threads), {{}, threads});
    REQUIRE_MESSAGE(joined.how == outcome::finished, joined.text << joined.fault.describe());
    for (const way w : never_joining) {
      CAPTURE(name_of(w));
      const machine_result r = run_under(w, k, block_of(threads), {{}, threads});
      REQUIRE_MESSAGE(r.how == outcome::finished, r.text << r.fault.describe());
      CHECK(r.out == joined.out);
      CHECK(r.count.thread_instructions == joined.count.thread_instructions);
      CHECK(r.count.predicated_off == joined.count.predicated_off);
    }
  }
}

TEST_CASE("warp ops: a block that stops at exchanges is counted once") {
  const ptx::decoded_kernel k = decoded(with_thread_number(
      "redux.sync.add.u32 %r5, 1, -1; redux.sync.add.u32 %r5, %r5, -1; bar.warp.sync -1; st.global.u32 [%out], %r5;"));
  REQUIRE(k.blocks.size() == 1);
  const machine_result alone = run_under(way::serial, k, block_of(64), {{}, 64});
  CHECK(alone.runs[0] == 64);
  CHECK(alone.steps == 64);
  CHECK(run_under(way::apart, k, block_of(64), {{}, 64}).runs[0] == 2);
  // So are lanes that a guard switches off, before the exchange, at it and after it.
  const ptx::decoded_kernel guarded = decoded(with_thread_number(
      "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; @%p1 add.u32 %r1, %r1, 1; @%p1 redux.sync.add.u32 %r5, 1, "
      "0x55555555; @!%p1 add.u32 %r1, %r1, 1; bar.warp.sync -1; @%p1 st.global.u32 [%out], %r5;"));
  const machine_result together_off = run_under(way::pdom, guarded, block_of(32), {{}, 32});
  CHECK(together_off.count.predicated_off == 16 * 4);
  for (const way w : never_joining) {
    const machine_result r = run_under(w, guarded, block_of(32), {{}, 32});
    CHECK(r.count.predicated_off == 16 * 4);
    CHECK(r.count.thread_instructions == together_off.count.thread_instructions);
    CHECK(r.off == together_off.off);
    CHECK(r.out == together_off.out);
  }
}

TEST_CASE("warp ops: lanes that wait in vain for others are a deadlock that says who waits where") {
  const auto deadlock = [](std::string_view body, way w) {
    const machine_result r = run_under(w, decoded(with_thread_number(body)), block_of(32), {{}, 32});
    CHECK(r.how == outcome::barrier_deadlock);
    return r.text;
  };
  constexpr std::string_view two_places =
      "setp.lt.u32 %p1, %t, 20; @%p1 bra low;\nredux.sync.add.u32 %r5, %t, -1; bra.uni done;\nlow: bar.sync 0;\ndone:";
  for (const way w : {way::serial, way::mimd})
    CHECK(deadlock(two_places, w) ==
          "barrier deadlock: warp 0: lanes 0-19 wait at the barrier that ends BB2; lanes 20-31 wait for others of the "
          "warp inside BB1");
  // Two instructions of one kind are two places here.
  CHECK(
      deadlock("setp.lt.u32 %p1, %t, 20; @%p1 bra low;\nredux.sync.add.u32 %r5, %t, -1; bra.uni done;\n"
               "low: redux.sync.add.u32 %r5, %t, -1;\ndone:",
               way::serial)
          .starts_with("barrier deadlock: warp 0: lanes 0-19 wait for others of the warp inside BB2; lanes 20-31 wait "
                       "for others of the warp inside BB1"));
}

TEST_CASE("warp ops: lanes that are not together are a fault that says which") {
  const auto fault = [](std::string_view body, way w, std::uint32_t threads = 32) {
    const machine_result r = run_under(w, decoded(before_sync(body)), block_of(threads), {{}, threads});
    CHECK(r.how == outcome::fault);
    CHECK(r.fault.kind == ptx::fault_kind::bad_exchange);
    return r.fault.describe();
  };
  constexpr std::string_view half = "setp.lt.u32 %p1, %t, 20; @%p1 bra done;\nredux.sync.add.u32 %r5, %t, -1; done:";
  CHECK(fault(half, way::frontier) ==
        "kernel 'k', line 12, column 1, BB1, thread (20, 0, 0) of thread block (0, 0, 0): 'redux.sync.add.u32' is "
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
  CHECK(fault("redux.sync.add.u32 %r5, %t, 0xff;", way::serial)
            .ends_with("'redux.sync.add.u32' is not for the lanes that run it: lane 8 not in its member mask 0xff"));
  CHECK(fault("setp.eq.u32 %p1, %t, 39; @%p1 bra done; bar.warp.sync -1; done:", way::frontier, 40)
            .ends_with("lane 7 of member mask 0xffffffff not together with it"));
}

TEST_CASE("warp ops: warps that a policy forms anew keep what their numbers say") {
  // Under compaction, threads of several warps meet; each warp of 8 reduces for itself.
  const words got =
      agreed("shr.u32 %r1, %t, 3; redux.sync.add.u32 %r5, %r1, 0xff; st.global.u32 [%out], %r5;", {64, 8}, {});
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == t / 8 * 8);
  const ptx::decoded_kernel k = decoded(before_sync("bar.warp.sync -1;"));
  ptx::launch_config l = block_of(60, 20);
  ptx::arguments args(k);
  args.set(0, std::uint64_t{0});
  args.set(1, std::uint64_t{0});
  args.set(2, 0U);
  CHECK(ptx::check_launch(k, l, args).empty());
  l.group_width = 60;
  CHECK(text_of(ptx::check_launch(k, l, args)) ==
        "a warp of 20 lanes that exchange values under a policy that forms warps anew: it is a part or a multiple "
        "of 32\n");
}
