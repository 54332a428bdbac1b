import { afterAll, beforeAll } from "vitest";

/** A fixture shared by the tests of a block. It is created before the first test and disposed of after the last. */
export function shared<T>(create: (resources: AsyncDisposableStack) => Promise<T>): () => T {
  const resources = new AsyncDisposableStack();
  let created: { readonly value: T } | undefined;
  beforeAll(async () => {
    created = { value: await create(resources) };
  });
  afterAll(() => resources.disposeAsync());
  return () => {
    if (created === undefined) throw new Error("nothing was created");
    return created.value;
  };
}
