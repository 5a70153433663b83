; SPDX-License-Identifier: BSL-1.0
; A function one of whose ways never ends, where nobody goes; calls that do not return; several ends with values.
declare i32 @putchar(i32)
declare void @abort() noreturn

define i32 @ways(i32 %n) {
entry:
  %m = and i32 %n, 15
  switch i32 %m, label %other [
    i32 0, label %zero
    i32 1, label %shared
    i32 2, label %shared
    i32 3, label %zero
    i32 99, label %spin
    i32 98, label %die
  ]
zero:
  %z = icmp eq i32 %n, 3
  br i1 %z, label %shared, label %ret
shared:
  %s = phi i32 [ %n, %entry ], [ %n, %entry ], [ 77, %zero ]
  %odd = trunc i32 %s to i1
  br i1 %odd, label %other, label %early
early:
  %t = mul i32 %s, %s
  ret i32 %t
other:
  %o = phi i32 [ %m, %entry ], [ %s, %shared ]
  %big = icmp ugt i32 %o, 12
  br i1 %big, label %ret, label %early2
early2:
  %u = add i32 %o, 30
  ret i32 %u
ret:
  %r = phi i32 [ 1, %zero ], [ %o, %other ]
  ret i32 %r
spin:
  br label %spin2
spin2:
  br i1 true, label %spin, label %spin2
die:
  call void @abort()
  unreachable
}

define i32 @main() {
entry:
  br label %next
next:
  %i = phi i32 [ 0, %entry ], [ %more, %next ]
  %r = call i32 @ways(i32 %i)
  %m = and i32 %r, 63
  %l = add i32 %m, 48
  %w = call i32 @putchar(i32 %l)
  %more = add i32 %i, 1
  %go = icmp ult i32 %more, 40
  br i1 %go, label %next, label %done
done:
  %nl = call i32 @putchar(i32 10)
  ret i32 7
}
