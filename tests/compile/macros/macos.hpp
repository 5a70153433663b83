// Macros of macOS's AssertMacros.h, if the names without underscores are requested or the SDK is old.
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
