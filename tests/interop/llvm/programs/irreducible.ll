; SPDX-License-Identifier: BSL-1.0
; A cycle entered at two places, a second one within, and a way out of the middle; main itself is irreducible.
declare i32 @putchar(i32)

define void @show(i32 %x) {
  %m = and i32 %x, 63
  %l = add i32 %m, 48
  %w = call i32 @putchar(i32 %l)
  ret void
}

define i32 @cycle(i32 %n, i1 %side) {
entry:
  br i1 %side, label %left, label %right
left:
  %a = phi i32 [ %n, %entry ], [ %d, %right ], [ %e, %inner ]
  %p = phi i32 [ 0, %entry ], [ %s, %right ], [ %q, %inner ]
  %q = add i32 %p, 1
  %b = mul i32 %a, 7
  call void @show(i32 %b)
  %odd = trunc i32 %b to i1
  br i1 %odd, label %inner, label %right
right:
  %c = phi i32 [ 11, %entry ], [ %b, %left ], [ %f, %inner ]
  %t = phi i32 [ 0, %entry ], [ %q, %left ], [ %q, %inner ]
  %s = add i32 %t, 1
  %d = lshr i32 %c, 1
  %few = icmp ult i32 %d, 2
  %late = icmp ugt i32 %s, 9
  %small = or i1 %few, %late
  br i1 %small, label %out, label %left
inner:
  %e = lshr i32 %b, 4
  %f = lshr i32 %b, 3
  call void @show(i32 %e)
  %bit = and i32 %e, 4
  %set = icmp eq i32 %bit, 0
  br i1 %set, label %right, label %left
out:
  %r = phi i32 [ %c, %right ]
  %sum = add i32 %r, %n
  ret i32 %sum
}

define i32 @main() {
entry:
  br label %first
first:
  %i = phi i32 [ 0, %entry ], [ %k, %second ]
  %x = call i32 @cycle(i32 %i, i1 false)
  call void @show(i32 %x)
  %third = urem i32 %i, 3
  %jump = icmp eq i32 %third, 1
  br i1 %jump, label %half, label %second
half:
  %y = call i32 @cycle(i32 %x, i1 true)
  call void @show(i32 %y)
  br label %second
second:
  %j = phi i32 [ %i, %first ], [ %y, %half ]
  %k = add i32 %i, 1
  call void @show(i32 %j)
  %go = icmp ult i32 %k, 40
  br i1 %go, label %first, label %end
end:
  %nl = call i32 @putchar(i32 10)
  ret i32 %j
}
