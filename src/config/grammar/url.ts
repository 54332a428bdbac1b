/** Control characters of ASCII, and percent signs that start no escape. */
const unescaped = /[^\P{Cc}\u0080-\u009f]|%(?![\da-f]{2})/iu;

/** Characters that no host has. */
const oddHost = /^[^/?]*:\/\/[^/?#]*[\s{}|\\^`]/u;

/**
 * Whether Go reads the text as a URL, as the proxy's agent and Istio do. A browser is more tolerant: it removes control
 * characters and outer spaces, and keeps a percent sign that starts no escape.
 */
export function isStrictUrl(text: string): boolean {
  return !unescaped.test(text) && !oddHost.test(text) && text.trim() === text && URL.canParse(text);
}
