// Macros of macOS's AssertMacros.h, where the versions without underscores are asked for or the SDK is an old one.
#define check(assertion) \
  do {                   \
  } while (!(assertion))
#define verify(assertion) \
  do {                    \
  } while (!(assertion))
#define require(assertion, label) \
  do {                            \
    if (!(assertion)) goto label; \
  } while (false)
