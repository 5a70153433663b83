// SPDX-License-Identifier: BSL-1.0
//
// The cost of LLVM instructions for a warp.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// The weights of LLVM instructions; only the proportions count. The weights are as for PTX (ptx/text/latency.hpp), and
/// address spaces mean what NVPTX and AMDGPU mean by them. An operation on a vector costs as much as one operation for
/// each element (64 at most); a load or store of a vector costs as much as any other.
struct llvm_latencies {
  std::uint32_t other = 3;      ///< comparisons, selections, logic, shifts, conversions
  std::uint32_t add = 5;        ///< sums and differences, minima and maxima, addresses that are computed
  std::uint32_t multiply = 10;  ///< products, with or without a sum; sums in double precision
  std::uint32_t divide = 20;    ///< quotients, remainders, roots, exponentials, logarithms, sines
  std::uint32_t memory = 100;   ///< memory of address spaces but those below, atomics, calls
  std::uint32_t shared = 30;    ///< address space 3
  std::uint32_t constant = 10;  ///< address space 4
  /// Asked first, if given: instructions that a target executes for nothing weigh 0. Must outlive the latencies.
  llvm::function_ref<bool(const llvm::Instruction&)> is_free = nullptr;

  /// The weight of an instruction. Casts that keep the bits, addresses with constant offsets and what is there for the
  /// optimizer only weigh 0. O(operands).
  [[nodiscard]] std::uint32_t operator()(const llvm::Instruction& i) const {
    using llvm::Instruction;
    if (is_free && is_free(i)) return 0;
    switch (i.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FNeg:
        return lanes(i) * (is_wide(i.getType()) ? multiply : add);
      case Instruction::Mul:
      case Instruction::FMul:
        return lanes(i) * multiply;
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::FDiv:
      case Instruction::URem:
      case Instruction::SRem:
      case Instruction::FRem:
        return lanes(i) * divide;
      case Instruction::Load:
        return of_memory(llvm::cast<llvm::LoadInst>(i).getPointerAddressSpace());
      case Instruction::Store:
        return of_memory(llvm::cast<llvm::StoreInst>(i).getPointerAddressSpace());
      case Instruction::GetElementPtr:
        return llvm::cast<llvm::GetElementPtrInst>(i).hasAllConstantIndices() ? 0 : lanes(i) * add;
      case Instruction::BitCast:
      case Instruction::IntToPtr:
      case Instruction::PtrToInt:
      case Instruction::Freeze:
        return 0;
      case Instruction::AtomicCmpXchg:
      case Instruction::AtomicRMW:
      case Instruction::Fence:
      case Instruction::Invoke:
      case Instruction::CallBr:
        return memory;
      case Instruction::Call:
        return of_call(llvm::cast<llvm::CallInst>(i));
      default:
        return lanes(i) * other;
    }
  }
  /// The weight of a select between two values of a type. O(1).
  [[nodiscard]] std::uint32_t of_select(const llvm::Type* type) const { return lanes(type) * other; }

 private:
  static std::uint32_t lanes(const llvm::Type* type) {
    const auto* v = llvm::dyn_cast<llvm::VectorType>(type);
    if (v == nullptr) return 1;
    const std::uint64_t n = v->getElementCount().getKnownMinValue();
    return n < 64 ? static_cast<std::uint32_t>(n) : 64U;
  }
  // The lanes of the result; if that is no vector (a reduction), of the first operand.
  static std::uint32_t lanes(const llvm::Instruction& i) {
    const std::uint32_t n = lanes(i.getType());
    return n == 1 && i.getNumOperands() > 0 ? lanes(i.getOperand(0)->getType()) : n;
  }
  static bool is_wide(const llvm::Type* type) {
    const llvm::Type* one = type->getScalarType();
    return one->isFloatingPointTy() && one->getPrimitiveSizeInBits() >= 64;
  }
  [[nodiscard]] std::uint32_t of_memory(unsigned space) const {
    return space == 3 ? shared : space == 4 ? constant : memory;
  }
  [[nodiscard]] std::uint32_t of_call(const llvm::CallInst& call) const {
    namespace intrinsic = llvm::Intrinsic;
    const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
    if (known == nullptr) return call.isInlineAsm() ? other : memory;
    if (llvm::isa<llvm::MemIntrinsic>(known)) return memory;
    switch (known->getIntrinsicID()) {
      case intrinsic::lifetime_start:
      case intrinsic::lifetime_end:
      case intrinsic::invariant_start:
      case intrinsic::invariant_end:
      case intrinsic::assume:
      case intrinsic::sideeffect:
      case intrinsic::donothing:
      case intrinsic::experimental_noalias_scope_decl:
        return 0;
      case intrinsic::sqrt:
      case intrinsic::sin:
      case intrinsic::cos:
      case intrinsic::pow:
      case intrinsic::powi:
      case intrinsic::exp:
      case intrinsic::exp2:
      case intrinsic::log:
      case intrinsic::log2:
      case intrinsic::log10:
        return lanes(call) * divide;
      case intrinsic::fma:
      case intrinsic::fmuladd:
      case intrinsic::smul_with_overflow:
      case intrinsic::umul_with_overflow:
        return lanes(call) * multiply;
      case intrinsic::abs:
      case intrinsic::fabs:
      case intrinsic::smin:
      case intrinsic::smax:
      case intrinsic::umin:
      case intrinsic::umax:
      case intrinsic::minnum:
      case intrinsic::maxnum:
      case intrinsic::minimum:
      case intrinsic::maximum:
      case intrinsic::sadd_sat:
      case intrinsic::uadd_sat:
      case intrinsic::ssub_sat:
      case intrinsic::usub_sat:
      case intrinsic::sadd_with_overflow:
      case intrinsic::uadd_with_overflow:
      case intrinsic::ssub_with_overflow:
      case intrinsic::usub_with_overflow:
        return lanes(call) * (is_wide(call.getType()) ? multiply : add);
      default:
        return lanes(call) * other;
    }
  }
};

}  // namespace v0
}  // namespace simtflow
