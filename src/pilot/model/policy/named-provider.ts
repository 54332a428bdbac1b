import type { ExtensionProvider } from "./extension-provider.ts";

/** The provider with this name, in upper or lower case. */
export function namedProvider(
  name: string | undefined,
  providers: readonly ExtensionProvider[],
): ExtensionProvider | undefined {
  if (name === undefined) return undefined;
  const exact = providers.find((provider) => provider.name === name);
  return exact ?? providers.find((provider) => provider.name.toLowerCase() === name.toLowerCase());
}
