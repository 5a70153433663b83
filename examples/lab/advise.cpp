// SPDX-License-Identifier: BSL-1.0
#include "lab/advise.hpp"

#include "lab/advice_profile.hpp"
#include "lab/advise_code.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/launches.hpp"
#include "lab/progress.hpp"
#include "lab/report.hpp"
#include "lab/sample_run.hpp"
#include "lab/source_text.hpp"
#include "lab/transform_comparison.hpp"
#include "lab/transform_table.hpp"
#include <simtflow/advice/changed_paths.hpp>
#include <simtflow/advice/loop_trips.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;
using advice::confidence;

namespace {

std::uint64_t work_of(const counts& c) { return c.warp_instructions + c.overhead_operations; }

// True if the policy has a mechanism that brings divergent lanes together again: the others are references.
bool is_mechanism(const chosen_policy& c) {
  const std::string_view family = c.info->family;
  return family != "none" && family != "mimd" && family != oracle_name;
}

constexpr double worth_it = 0.005;      // part of the work: less is not recommended
constexpr double guards_missed = 0.15;  // the same where the way through guards is guessed

// The loop in which lanes may wait for one another: it takes a lock by compare-and-swap and gives it back, or does
// nothing with memory but look what others have done. no_block: there is none.
block_id find_spin(const experiment& e) {
  const std::vector<unsigned char> reads = ptx::strong_reads(e.kernel());
  for (const loop_id l : e.loops().all()) {
    std::uint32_t strong = 0, accesses = 0;
    bool takes = false, gives_back = false;
    for (const block_id b : e.loops().blocks(l)) {
      if (b >= e.kernel().blocks.size()) continue;
      strong += reads[b];
      const ptx::decoded_block& block = e.kernel().blocks[b];
      for (std::uint32_t i = 0; i < block.weight; ++i) {
        const std::string_view opcode = e.kernel().opcodes[block.last_instruction + 1 - block.weight + i];
        const bool atomic = opcode.starts_with("atom"), store = opcode.starts_with("st.");
        accesses += opcode.starts_with("ld.") || store || atomic || opcode.starts_with("red.") ? 1U : 0U;
        takes = takes || (atomic && opcode.find(".cas") != std::string_view::npos);
        gives_back = gives_back || (atomic && opcode.find(".exch") != std::string_view::npos) ||
                     (store && (opcode.find(".volatile") != std::string_view::npos ||
                                opcode.find(".release") != std::string_view::npos));
      }
    }
    if ((takes && gives_back) || (strong != 0 && strong == accesses && !takes)) return e.loops().header(l);
  }
  return no_block;
}

// The first exchange among lanes of a warp; no_index: there is none.
std::uint32_t first_exchange(const ptx::decoded_kernel& k) {
  for (const ptx::decoded_op& op : k.ops)
    if (ptx::is_exchange(op)) return op.instruction;
  return ptx::no_index;
}

class adviser {
 public:
  explicit adviser(const advise_options& options) : options_(options) {
    const launch_file launch = read_launch(options.kernel_path, options.launch_path, options);
    e_ = std::make_unique<experiment>(options.kernel_path, launch, options);
    out_.kernel = e_->kernel().name;
    out_.path = options.kernel_path;
    out_.launch_path = options.launch_path;
    out_.seed = options.sample.seed;
    out_.checked = options.check;
  }

  advice_report run() {
    const std::vector<std::string> every{"all"};
    for (chosen_policy& c : chosen_policies(options_.policies.empty() ? every : options_.policies))
      if (is_mechanism(c)) chosen_.push_back(std::move(c));
    take_profile();
    const time_left clock;
    const std::size_t all = chosen_.size() + all_recipes().size();
    std::size_t done = 0;
    const auto next = [&](const std::string& name) {
      if (options_.progress) options_.progress(fmt::format("[{}/{}{}] {}", done, all, clock.words(done, all), name));
      if (options_.so_far && done != 0) {
        advice_report there = out_;
        rank(there);
        there.remarks.push_back(fmt::format("stopped: {} of {} predictions are there", done, all));
        options_.so_far(there);
      }
      ++done;
    };
    for (const chosen_policy& c : chosen_) {
      next(c.name);
      predict(c);
    }
    for (const transform_recipe& recipe : all_recipes()) {
      next(recipe.text());
      predict(recipe);
    }
    rank(out_);
    look_at_branches();
    look_for_hints();
    look_at_lines();
    return std::move(out_);
  }

 private:
  static void rank(advice_report& out) {
    out.rows.push_back({advice_kind::as_it_is, out.baseline, {1, 0, true}, confidence::high, "the run"});
    out.rows.back().measured = 1;
    std::stable_sort(out.rows.begin(), out.rows.end(), [](const advice_row& a, const advice_row& b) {
      return class_of(a) != class_of(b) ? class_of(a) < class_of(b) : a.work.ratio < b.work.ratio;
    });
  }
  static int class_of(const advice_row& r) {
    return r.recommended ? 0 : r.kind == advice_kind::as_it_is ? 1 : r.predicted ? 2 : 3;
  }

  // Runs the kernel under the first policy that finishes.
  void take_profile() {
    for (const char* name : {"pdom", "volta", "aware", "tf", "mimd"}) {
      const chosen_policy c = parse_policy(name);
      std::string why = e_->not_applicable(c);
      if (why.empty()) {
        edge_counter edges(e_->graph());
        ptx::warp_profiler warps(e_->kernel());
        advice_profile seen(options_.sample, e_->graph().num_blocks());
        memory_conflicts conflicts;
        const grid_run r = e_->run(c, {.edges = &edges, .conflicts = &conflicts, .warps = &warps, .advice = &seen});
        if (r.how == outcome::finished) {
          e_->learn(edges);
          profile_ = warps.profile();
          sample_ = seen.sampler.sample();
          memory_ = std::move(seen.memory);
          baseline_ = c;
          base_ = r;
          know_conflicts(conflicts);
          break;
        }
        why = r.words;
        found_.spins = found_.spins || r.how == outcome::livelock;
        found_.divergent_barrier =
            found_.divergent_barrier || r.how == outcome::barrier_deadlock || r.how == outcome::barrier_misaligned;
        unfinished_.insert(c.info->name);
      }
      out_.remarks.push_back(fmt::format("{} gives no profile: {}", name, why));
    }
    if (!base_)
      throw input_error(
          fmt::format("{}: no policy finishes, so there is no profile: {}", options_.kernel_path, out_.remarks.back()));
    if (sample_.size() == 0)
      throw input_error(
          fmt::format("{}: no prediction: the threads of a thread block execute more than {} basic blocks "
                      "in all; --sample-visits allows more",
                      options_.kernel_path, options_.sample.visits));
    out_.baseline = baseline_.name;
    out_.setting = e_->setting(baseline_, base_->other_order);
    out_.counts = base_->counts;
    out_.work = work_of(base_->counts);
    out_.sampled = sample_.size();
    out_.thread_blocks = sample_.population;
    if (sample_.too_long != 0)
      out_.remarks.push_back(fmt::format("{} too long for the sample; --sample-visits allows longer ones",
                                         counted(sample_.too_long, "thread block is", "thread blocks are")));
    known_ = e_->known_barriers().has_value();
    if (!known_) {
      out_.remarks.emplace_back("nothing is predicted: a barrier's number or thread count is known only in a run");
      return;
    }
    branch_profile blame;
    const sample_run again = e_->replay(baseline_, sample_, &blame);
    known_ = again.how == outcome::finished;
    if (!known_)
      out_.remarks.push_back(fmt::format("nothing is predicted: the replay of the run ends in {}", again.words));
    before_ = again.work;
    slots_ = again.total.lane_slots;
    blame_ = blame;
    figures_.assign(blame.branches().begin(), blame.branches().end());
    figures_.resize(e_->graph().num_blocks());
    spent_.assign(blame.blocks().begin(), blame.blocks().end());
    spent_.resize(e_->graph().num_blocks());
    places_ = places_of(e_->kernel());
  }

  void know_conflicts(const memory_conflicts& conflicts) {
    const ptx::decoded_kernel& k = e_->kernel();
    if (conflicts.first()) {
      depends_ = fmt::format("threads {} and {} of a thread block access the same memory with no barrier between",
                             conflicts.first()->earlier, conflicts.first()->later);
      found_.spin = find_spin(*e_);
      found_.spins = found_.spins || found_.spin != no_block;
    }
    if (const std::uint32_t i = ptx::first_view_of_company(k); i != ptx::no_index)
      depends_ = fmt::format("'{}' in line {} depends on which lanes run together, or when", k.opcodes[i],
                             k.positions[i].line);
    if (found_.spins) depends_ = "lanes wait for one another by spinning";
    if (const std::uint32_t i = first_exchange(k); i != ptx::no_index)
      exchange_ =
          fmt::format("'{}' in line {} needs lanes of a warp to run together", k.opcodes[i], k.positions[i].line);
  }

  void judge(advice_row& row, const std::vector<std::uint64_t>& after) const {
    row.work = advice::estimate_ratio(before_, after, sample_.population);
    row.trust = advice::confidence_of(row.work);
    row.reason = sample_.is_whole()
                     ? "all thread blocks replayed"
                     : fmt::format("{} of {} thread blocks replayed", sample_.size(), sample_.population);
    if (!depends_.empty()) {
      row.trust = confidence::low;
      row.reason += "; paths can depend on the schedule: " + depends_;
    }
    row.recommended = row.work.gain() >= worth_it && row.work.gain() - 2 * row.work.error > -0.02;
  }

  void predict(const chosen_policy& c) {
    if (c.identity() == baseline_.identity()) return;
    advice_row row{advice_kind::mechanism, c.name, {}, confidence::low, {}};
    const auto nothing = [&](std::string why) {
      row.predicted = false;
      row.reason = std::move(why);
    };
    const bool warp = scope_managed(c) == policy_scope::warp;
    const std::string refused = e_->not_applicable(c);
    if (!refused.empty()) {
      nothing(refused);
    } else if (unfinished_.count(c.info->name) != 0) {
      nothing("it does not finish: see the profile");
    } else if (found_.spins && abilities_of(c).progress != progress_class::fair) {
      nothing("lanes wait for one another by spinning, and it does not promise to run them all");
    } else if (!warp && !exchange_.empty()) {
      nothing(fmt::format("{}, and it makes other warps", exchange_));
    } else if (!known_) {
      nothing("not predicted");
    } else {
      branch_profile blame;
      const sample_run r = e_->replay(c, sample_, &blame);
      if (r.how != outcome::finished) {
        nothing(fmt::format("does not finish: {}", r.words));
      } else {
        judge(row, r.work);
        if (found_.spins) row.recommended = false;
        if (!warp && !depends_.empty()) row.reason += "; in other warps they may compute something else, or fault";
        if (!exchange_.empty()) {
          row.trust = confidence::low;
          row.reason += "; " + exchange_;
        }
        if (!r.other_order.empty()) row.reason += "; it " + r.other_order;
        row.idle.assign(e_->graph().num_blocks(), 0);
        for (std::size_t b = 0; b < blame.branches().size(); ++b) row.idle[b] = idle_of(blame.branches()[b]);
      }
    }
    if (options_.check && refused.empty()) {
      const grid_run r = e_->run(c);
      if (r.how == outcome::finished)
        row.measured = static_cast<double>(work_of(r.counts)) / static_cast<double>(out_.work);
      else
        row.wrong = r.words;
    }
    out_.rows.push_back(std::move(row));
  }

  // The share of all lane slots that a branch loses.
  [[nodiscard]] double idle_of(const branch_figures& f) const { return share(f.idle_lanes + f.exited_lanes); }
  [[nodiscard]] double share(std::uint64_t slots) const {
    return static_cast<double>(slots) / static_cast<double>(std::max<std::uint64_t>(slots_, 1));
  }

  // The sample's paths through transformed code; nothing, if there is no way.
  std::optional<advice::path_sample> followed(const experiment& now, std::vector<advice::code_piece> pieces) const {
    advice::path_follower follower(now.graph(), std::move(pieces), e_->graph().num_blocks());
    advice::path_sample out = sample_;
    out.paths = {};
    std::vector<block_id> path;
    for (std::size_t p = 0; p < sample_.paths.size(); ++p) {
      path.clear();
      if (!follower.follow(sample_.paths[p], path)) return std::nullopt;
      out.paths.add(path);
    }
    return out;
  }

  void predict(const transform_recipe& recipe) {
    advice_row row{advice_kind::transform, recipe.text(), {}, confidence::low, {}};
    const auto nothing = [&](std::string why) {
      row.predicted = false;
      row.reason = std::move(why);
      out_.rows.push_back(std::move(row));
    };
    step_settings settings;
    settings.guards = recipe.guards;
    settings.always = recipe.always;
    settings.melding.profile = profile_;
    settings.most_copies = 2000;
    settings.proves = false;
    const ptx::module& module = e_->file().module->module;
    std::optional<transformed_kernel> made;
    try {
      made = transformed(module, e_->kernel().name, recipe.steps, options_.kernel_path, settings);
    } catch (const input_error& why) {
      return nothing(fmt::format("cannot be done: {}", why.what()));
    }
    const std::string last = made->remarks.empty() ? std::string() : ": " + made->remarks.back();
    if (!made->done) return nothing("cannot be done" + last);
    if (!made->changed()) return nothing("changes nothing" + last);
    const std::string text = ptx::print(made->module);
    if (const auto [same, fresh] = texts_.try_emplace(text, row.name); !fresh)
      return nothing("the same code as " + same->second);
    auto kernel = ptx::decode(made->module, *made->module.find(e_->kernel().name));
    if (!kernel) return nothing("cannot be done: " + kernel.diagnostics()[0].message);
    kernel_file file{options_.kernel_path, text, *std::move(kernel), {}};
    file.module = std::make_shared<const module_file>(module_file{file.path, text, made->module});
    experiment now(e_->launch(), std::move(file), options_);
    const std::string refused = now.not_applicable(baseline_);
    if (!refused.empty()) return nothing(refused);
    if (known_ && now.known_barriers())
      follow(now, *made, row);
    else
      row.predicted = false, row.reason = "not predicted";
    if (row.predicted && guards_are_guessed(recipe, *made)) {
      row.trust = std::max(row.trust, confidence::medium);
      row.reason += "; threads are taken to pass as few guards as they can";
      row.recommended = row.recommended && row.work.gain() >= guards_missed;
    }
    if (options_.check) {
      experiment real(e_->launch(), printed_kernel(made->module, e_->kernel().name, options_.kernel_path), options_);
      const grid_run r = real.run(baseline_);
      row.wrong = difference_between(r, *base_);
      out_.good = out_.good && row.wrong.empty();
      if (r.how == outcome::finished)
        row.measured = static_cast<double>(work_of(r.counts)) / static_cast<double>(out_.work);
    }
    if (row.recommended) hoistable_ = hoistable_.empty() ? made->pairs : hoistable_;
    out_.rows.push_back(std::move(row));
  }

  // True if guards were written without the optimizations that leave one way through them.
  static bool guards_are_guessed(const transform_recipe& recipe, const transformed_kernel& made) {
    return made.added.guards != 0 &&
           (recipe.guards || std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const transform_step& s) {
              return s.kind == transform_kind::stack_depth || s.kind == transform_kind::interleave;
            }));
  }

  void follow(experiment& now, const transformed_kernel& made, advice_row& row) {
    std::vector<advice::code_piece> pieces = pieces_of(now.kernel(), places_, made.pairs);
    const std::optional<advice::path_sample> paths = followed(now, pieces);
    row.predicted = false;
    if (!paths) {
      row.reason = "not predicted: the paths cannot be followed through the new code";
      return;
    }
    branch_profile blame;
    const sample_run r = now.replay(baseline_, *paths, &blame);
    if (r.how != outcome::finished) {
      row.reason = fmt::format("does not finish: {}", r.words);
      return;
    }
    row.predicted = true;
    judge(row, r.work);
    // A branch of the new code belongs to the old block that its block ends with.
    row.idle.assign(e_->graph().num_blocks(), 0);
    std::vector<const advice::code_piece*> last(now.graph().num_blocks(), nullptr);
    for (const advice::code_piece& p : pieces)
      if (last[p.block] == nullptr || last[p.block]->place <= p.place) last[p.block] = &p;
    for (std::size_t b = 0; b < blame.branches().size(); ++b)
      if (last[b] != nullptr) row.idle[last[b]->old] += idle_of(blame.branches()[b]);
  }

  // "k.ptx:42 my.cu:17"
  [[nodiscard]] std::string place_of(block_id b) const {
    const ptx::decoded_kernel& k = e_->kernel();
    if (b >= k.blocks.size() || k.blocks[b].weight == 0) return {};
    const std::uint32_t i = k.blocks[b].last_instruction;
    const std::string source = k.source_of(i);
    return fmt::format("{}:{}{}{}", std::filesystem::path(options_.kernel_path).filename().string(),
                       k.positions[i].line, source.empty() ? "" : " ", source);
  }

  void look_at_branches() {
    if (!known_) return;
    for (block_id b = 0; b < e_->kernel().blocks.size(); ++b) {
      branch_advice a{e_->kernel().block_name(b),
                      place_of(b),
                      figures_[b].executions,
                      figures_[b].divergences,
                      idle_of(figures_[b]),
                      {},
                      {}};
      if (a.idle < 0.01) continue;
      a.idle_mechanism = a.idle_transform = a.idle;
      for (const advice_row& r : out_.rows) {
        if (!r.recommended || r.idle.empty()) continue;
        const bool is_transform = r.kind == advice_kind::transform;
        double& least = is_transform ? a.idle_transform : a.idle_mechanism;
        if (r.idle[b] >= least - 0.001) continue;
        least = r.idle[b];
        (is_transform ? a.transform : a.mechanism) = r.name;
      }
      out_.branches.push_back(std::move(a));
    }
    std::stable_sort(out_.branches.begin(), out_.branches.end(),
                     [](const branch_advice& a, const branch_advice& b) { return a.idle > b.idle; });
  }

  // The branches by source line, if the text says lines.
  void look_at_lines() {
    const ptx::decoded_kernel& k = e_->kernel();
    if (!known_ || k.places.empty() || blame_.idle() == 0) return;
    const double all = share(blame_.idle());
    source_text text(k.sources, e_->file().path);
    std::map<std::vector<std::uint32_t>, std::vector<block_id>> lines;
    for (block_id b = 0; b < k.blocks.size(); ++b)
      if (k.blocks[b].weight != 0) lines[line_key(k.sources, k.place_of(k.blocks[b].last_instruction))].push_back(b);
    for (const auto& [key, blocks] : lines) {
      const auto lost = [&blocks = blocks](const std::vector<double>& idle) {
        double sum = 0;
        for (const block_id b : blocks) sum += idle[b];
        return sum;
      };
      const std::uint32_t place = k.place_of(k.blocks[blocks.front()].last_instruction);
      line_advice a;
      a.place = k.sources.describe(place);
      a.text = text.line(place);
      for (const block_id b : blocks) a.slots += idle_of(figures_[b]);
      a.idle = a.slots / all;
      if (key.empty() || a.idle < 0.01) continue;
      for (const advice_row& r : out_.rows) {  // those that save most come first
        const bool is_transform = r.kind == advice_kind::transform;
        std::string& name = is_transform ? a.transform : a.mechanism;
        if (!r.recommended || r.idle.empty() || !name.empty() || lost(r.idle) / all > 0.9 * a.idle) continue;
        name = r.name;
        (is_transform ? a.left_transform : a.left_mechanism) = lost(r.idle) / all;
        (is_transform ? a.saves_transform : a.saves_mechanism) = r.work.gain();
      }
      for (const hint_advice& h : out_.hints)
        if (const block_id at = block_of(h.hint); std::find(blocks.begin(), blocks.end(), at) != blocks.end())
          a.hints.push_back(h.text);
      if (a.hints.empty())
        for (const hint_advice& h : out_.hints)
          if (h.hint.what == advice::hint_kind::sort_items || h.hint.what == advice::hint_kind::compact_items)
            a.hints.push_back(h.text);
      out_.lines.push_back(std::move(a));
    }
    std::stable_sort(out_.lines.begin(), out_.lines.end(),
                     [](const line_advice& a, const line_advice& b) { return a.idle > b.idle; });
  }

  // The block to name for a hint: of a loop the one that lanes leave it from, which loses most.
  [[nodiscard]] block_id block_of(const advice::hint& h) const {
    if (h.what != advice::hint_kind::balance_loop || h.block == no_block) return h.block;
    const auto l = e_->loops().innermost(h.block);
    if (!l) return h.block;
    block_id worst = h.block;
    double most = -1;
    for (const block_id b : e_->loops().blocks(*l)) {
      bool leaves = false;
      for (const block_id s : e_->bodies().successors(b)) leaves = leaves || !e_->loops().contains(*l, s);
      if (!leaves || b >= figures_.size() || idle_of(figures_[b]) <= most) continue;
      most = idle_of(figures_[b]);
      worst = b;
    }
    return worst;
  }

  // Work of the sample in another order of threads over the work now; 1 if that does not finish.
  [[nodiscard]] double sorted_work(bool across) {
    const sample_run r = e_->replay(baseline_, advice::sorted_sample(sample_, across));
    if (r.how != outcome::finished) return 1;
    return advice::estimate_ratio(before_, r.work, sample_.population).ratio;
  }

  void look_for_hints() {
    if (!known_) return;
    found_.ragged = share(blame_.idle(idle_cause::ragged_warp));
    found_.ended = share(blame_.idle(idle_cause::exited));
    if (exchange_.empty() && depends_.empty()) {
      found_.compacted = sorted_work(false);
      found_.sorted = sorted_work(true);
    }
    const std::vector<advice::loop_trips> trips = advice::trips_of(sample_, e_->loops(), e_->launch().warp_width);
    const auto instructions = static_cast<double>(std::max<std::uint64_t>(base_->counts.warp_instructions, 1));
    std::vector<advice::block_evidence> blocks;
    for (block_id b = 0; b < e_->kernel().blocks.size(); ++b) {
      advice::block_evidence one;
      one.block = b;
      one.idle = idle_of(figures_[b]);
      one.spent = share(spent_[b].lanes + spent_[b].idle_lanes);
      one.active = spent_[b].simd_efficiency();
      if (const auto l = e_->loops().innermost(b)) {
        for (const block_id s : e_->bodies().successors(b))
          one.leaves_loop = one.leaves_loop || !e_->loops().contains(*l, s);
        one.header = e_->loops().header(*l);
        for (const advice::loop_trips& t : trips)
          if (t.header == one.header) one.balance = t.balance;
      }
      one.global_accesses = static_cast<double>(memory_[b].global_accesses) / instructions;
      one.transactions = static_cast<double>(memory_[b].transactions) / instructions;
      one.shared_accesses = static_cast<double>(memory_[b].shared_accesses) / instructions;
      one.passes = static_cast<double>(memory_[b].bank_passes) / instructions;
      blocks.push_back(one);
    }
    count_alike(blocks);
    for (const advice::hint& h : advice::hints_for(found_, blocks))
      out_.hints.push_back({h, h.block == no_block ? "" : place_of(block_of(h)), words_of(h)});
  }

  // Pairs that a recommended transform melds count for the branch that dominates the left one directly.
  void count_alike(std::vector<advice::block_evidence>& blocks) const {
    const auto tree = dominators(e_->graph());
    for (const auto& [left, right] : hoistable_) {
      const auto found = places_.find({left.line, left.column});
      if (found == places_.end()) continue;
      std::optional<block_id> up = tree.idom(found->second.block);
      while (up && e_->graph().successors(*up).size() < 2) up = tree.idom(*up);
      if (up && *up < blocks.size()) ++blocks[*up].alike;
    }
  }

  [[nodiscard]] std::string words_of(const advice::hint& h) const {
    using advice::hint_kind;
    const std::string at = h.block == no_block ? std::string() : e_->kernel().block_name(h.block);
    const double percent = 100 * h.weight;
    switch (h.what) {
      case hint_kind::sort_items:
        return fmt::format(
            "sort or bin the work items so that neighbours take the same path: saves at most {:.1f} % of "
            "the warp instructions, without the work of sorting",
            100 * h.saves);
      case hint_kind::compact_items:
        return fmt::format(
            "regroup the items of each thread block (through shared memory) so that the lanes of a warp "
            "take the same path: saves at most {:.1f} % of the warp instructions",
            100 * h.saves);
      case hint_kind::balance_loop:
        return fmt::format(
            "lanes leave the loop of {} after different numbers of iterations (mean over the busiest "
            "lane: {:.2f}), {:.1f} % of the lane slots wait for it: let a lane that is done fetch its next "
            "item, or give the lanes of a warp items of like length",
            at, h.figure, percent);
      case hint_kind::hoist_code:
        return fmt::format(
            "both arms of the branch of {} have {:.0f} instructions in common, the branch loses {:.1f} % of "
            "the lane slots: write them once, before or after it",
            at, h.figure, percent);
      case hint_kind::split_kernel:
        return fmt::format(
            "{} takes {:.1f} % of the lane slots with {:.1f} % of the lanes: put such items into a queue "
            "for a kernel of their own",
            at, percent, 100 * h.figure);
      case hint_kind::change_layout:
        return fmt::format(
            "an access to global memory in {} touches {:.1f} lines on average: let neighbours access "
            "neighbours (structure of arrays, a tile in shared memory, another loop order)",
            at, h.figure);
      case hint_kind::pad_shared:
        return fmt::format(
            "an access to shared memory in {} takes {:.1f} passes on average: pad rows by a word, or "
            "change the index",
            at, h.figure);
      case hint_kind::change_size:
        return fmt::format(
            "the last warp of a thread block is not full, {:.1f} % of the lane slots: make the thread "
            "block a multiple of {} threads",
            percent, e_->launch().warp_width);
      case hint_kind::end_later:
        return fmt::format(
            "{:.1f} % of the lane slots are lanes that have ended while others of their warp go on: launch "
            "fewer threads with several items each, or group items of like length",
            percent);
      case hint_kind::replace_spin:
        return fmt::format(
            "lanes wait for one another in a loop{}: replace the lock by atomics, or let one lane of the "
            "warp take it for all; a stack of post-dominators may never let go",
            at.empty() ? "" : " at " + at);
      case hint_kind::move_barrier:
        return "a barrier waits for lanes that go another way: move it to where all threads of the thread block come";
    }
    return {};
  }

  const advise_options& options_;
  std::unique_ptr<experiment> e_;
  std::vector<chosen_policy> chosen_;
  chosen_policy baseline_ = parse_policy("pdom");
  std::optional<grid_run> base_;
  advice::path_sample sample_;
  ptx::warp_profile profile_;
  std::vector<memory_metrics> memory_;   // by block
  std::vector<std::uint64_t> before_;    // by sampled thread block, under the baseline
  branch_profile blame_;                 // of that replay
  std::vector<branch_figures> figures_;  // by block
  std::vector<block_figures> spent_;     // by block
  std::uint64_t slots_ = 0;              // lane slots of that replay
  std::string depends_;                  // why paths can depend on the schedule
  std::string exchange_;                 // which instruction exchanges values among lanes
  bool known_ = false;                   // the run can be replayed
  std::set<std::string_view> unfinished_;
  place_map places_;
  std::map<std::string, std::string> texts_;  // of transformed modules, and by what
  melded_places hoistable_;
  advice::kernel_evidence found_;
  advice_report out_;
};

}  // namespace

std::string_view to_string(advice_kind kind) {
  switch (kind) {
    case advice_kind::as_it_is:
      return "as it is";
    case advice_kind::mechanism:
      return "mechanism";
    case advice_kind::transform:
      return "transform";
  }
  return "";
}

advice_report advise(const advise_options& options) { return adviser(options).run(); }

}  // namespace lab
