; SPDX-License-Identifier: BSL-1.0
; (a && b) || (c && d), whose parts share both outcomes, with values that live across them.
declare i32 @putchar(i32)

define i32 @decide(i1 %a, i1 %b, i1 %c, i1 %d, i32 %x) {
first:
  %p = mul i32 %x, 3
  br i1 %a, label %second, label %third
second:
  %q = add i32 %p, 1
  br i1 %b, label %yes, label %third
third:
  %r = phi i32 [ %p, %first ], [ %q, %second ]
  br i1 %c, label %fourth, label %no
fourth:
  %s = xor i32 %r, 5
  br i1 %d, label %yes, label %no
yes:
  %t = phi i32 [ %q, %second ], [ %s, %fourth ]
  br label %join
no:
  %u = phi i32 [ %r, %third ], [ %s, %fourth ]
  %v = sub i32 0, %u
  br label %join
join:
  %w = phi i32 [ %t, %yes ], [ %v, %no ]
  %z = add i32 %w, %p
  ret i32 %z
}

define i32 @main() {
entry:
  br label %next
next:
  %i = phi i32 [ 0, %entry ], [ %more, %next ]
  %a = trunc i32 %i to i1
  %i1 = lshr i32 %i, 1
  %b = trunc i32 %i1 to i1
  %i2 = lshr i32 %i, 2
  %c = trunc i32 %i2 to i1
  %i3 = lshr i32 %i, 3
  %d = trunc i32 %i3 to i1
  %r = call i32 @decide(i1 %a, i1 %b, i1 %c, i1 %d, i32 %i)
  %m = and i32 %r, 63
  %l = add i32 %m, 48
  %w = call i32 @putchar(i32 %l)
  %more = add i32 %i, 1
  %go = icmp ult i32 %more, 64
  br i1 %go, label %next, label %done
done:
  %nl = call i32 @putchar(i32 10)
  ret i32 0
}
