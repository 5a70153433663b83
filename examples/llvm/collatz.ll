; SPDX-License-Identifier: BSL-1.0
;
; A kernel for one lane, in LLVM's IR, as a front end for SIMD hosts might write it: lanes leave the loop in different
; iterations and by different exits, one arm divides by what is zero in other lanes, one exit stores through a pointer
; that some lanes do not have. Only the branch on %most is the same for all lanes.
;
; simtflow::linearize_partially() takes the branches on which lanes disagree out of it, simtflow::widen() writes it for
; several lanes at once, and LLVM's interpreter runs the result (tests/interop/llvm/llvm_partial_test.cpp):
;
;   llvm::Function& kernel = *module.getFunction("collatz");
;   auto done = simtflow::linearize_partially(kernel, is_divergent);
;   llvm::Function& eight_lanes = simtflow::widen(kernel, simtflow::any_lane_hook(module), 8);

; Steps of the Collatz sequence from in[lane] down to 1, at most `most` of them; 0 if there are more. Every odd number
; on the way is divided by divisors[lane], unless that is zero. The sum of the quotients goes to rest[lane], unless rest
; is null.
define i32 @collatz(ptr %in, ptr %divisors, ptr %rest, i32 %lane, i32 %most) {
start:
  %from = getelementptr i32, ptr %in, i32 %lane
  %first = load i32, ptr %from
  %by = getelementptr i32, ptr %divisors, i32 %lane
  %none = icmp eq i32 %most, 0
  br i1 %none, label %many, label %loop

loop:
  %n = phi i32 [ %first, %start ], [ %half, %even ], [ %tripled, %odd ], [ %tripled, %divide ]
  %sum = phi i32 [ 0, %start ], [ %sum, %even ], [ %sum, %odd ], [ %more, %divide ]
  %steps = phi i32 [ 0, %start ], [ %step, %even ], [ %step, %odd ], [ %step, %divide ]
  %one = icmp eq i32 %n, 1
  br i1 %one, label %end, label %body

body:
  %step = add nuw nsw i32 %steps, 1
  %over = icmp ugt i32 %step, %most
  br i1 %over, label %many, label %go

go:
  %bit = and i32 %n, 1
  %is_even = icmp eq i32 %bit, 0
  br i1 %is_even, label %even, label %odd

even:
  %half = lshr exact i32 %n, 1
  br label %loop

odd:
  %three = mul i32 %n, 3
  %tripled = add i32 %three, 1
  %divisor = load i32, ptr %by
  %zero = icmp eq i32 %divisor, 0
  br i1 %zero, label %loop, label %divide

divide:
  %quotient = udiv i32 %n, %divisor
  %more = add i32 %sum, %quotient
  br label %loop

many:
  ret i32 0

end:
  %has_rest = icmp ne ptr %rest, null
  br i1 %has_rest, label %keep, label %out

keep:
  %to = getelementptr i32, ptr %rest, i32 %lane
  store i32 %sum, ptr %to
  br label %out

out:
  ret i32 %steps
}
