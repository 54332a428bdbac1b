import fc from "fast-check";

/** An element of DER, as far as a mutation needs to know it. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array | readonly Element[];
  /** Written with a length that is not the shortest. */
  readonly isPadded?: boolean;
}

const of = (tag: number, ...content: readonly Element[]): Element => ({ tag, content });
const plain = (tag: number, ...bytes: readonly number[]): Element => ({ tag, content: Uint8Array.from(bytes) });
const text = (tag: number, value: string): Element => ({ tag, content: Buffer.from(value) });
const wrapped = (tag: number, inner: Element): Element => ({ tag, content: encode(inner) });

const algorithm = of(0x30, plain(0x06, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const rsa = of(0x30, plain(0x06, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), plain(0x05));
const attribute = (value: Element) => of(0x31, of(0x30, plain(0x06, 0x55, 0x04, 0x03), value));
const names = [0x0c, 0x13, 0x14, 0x16].map((tag) => of(0x30, attribute(text(tag, "Root"))));
const wideNames = [
  of(0x30, attribute(plain(0x1e, 0, 0x52, 0, 0x6f))),
  of(0x30, attribute(plain(0x1c, 0, 0, 0, 0x52)), attribute(text(0x0c, "Ré"))),
  of(0x30),
];
const times = [
  text(0x17, "261117105818Z"),
  text(0x18, "20501117105818Z"),
  text(0x17, "240229000000+0130"),
  text(0x17, "490228235959Z"),
];
const extension = (number: readonly number[], value: Element, ...critical: readonly Element[]) =>
  of(0x30, plain(0x06, 0x55, 0x1d, ...number), ...critical, wrapped(0x04, value));
const yes = plain(0x01, 0xff);
const entryExtensions = [
  extension([21], plain(0x0a, 1)),
  extension([21], plain(0x0a, 1), yes),
  extension([24], text(0x18, "20240101000000Z")),
  extension([21], plain(0x02, 1), plain(0x01, 0)),
];
const fullName = of(0xa0, of(0xa0, text(0x86, "http://example.com/a.crl")));
const listExtensions = [
  extension([20], plain(0x02, 7)),
  extension([35], of(0x30, plain(0x80, 1, 2, 3))),
  extension([35], of(0x30, of(0xa1, of(0xa4, names[0] ?? of(0x30))), plain(0x82, 5))),
  extension([28], of(0x30, fullName, plain(0x81, 0xff)), yes),
  extension(
    [28],
    of(0x30, of(0xa0, of(0xa1, of(0x30, plain(0x06, 0x55, 4, 3), text(0x0c, "a")))), plain(0x83, 1, 0x80)),
  ),
  extension(
    [28],
    of(0x30, of(0xa0, of(0xa0, of(0xa0, plain(0x06, 0x2a), of(0xa0, plain(0x05))), plain(0x88, 0x2a, 3)))),
  ),
  extension(
    [28],
    of(0x30, of(0xa0, of(0xa0, of(0xa5, of(0xa1, text(0x0c, "a"))), plain(0x87, 1, 2, 3, 4), text(0x82, "a")))),
  ),
];

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const entry = fc
  .record({ serial: fc.nat(127), time: some(times), more: fc.subarray(entryExtensions) })
  .map(({ serial, time, more }) =>
    of(0x30, plain(0x02, serial), time, ...(more.length === 0 ? [] : [of(0x30, ...more)])),
  );

const validList: fc.Arbitrary<Element> = fc
  .record({
    version: fc.constantFrom([plain(0x02, 1)], [plain(0x02, 1)], [plain(0x02, 1)], []),
    method: some([algorithm, rsa]),
    issuer: some([...names, ...wideNames]),
    times: fc.array(some(times), { minLength: 1, maxLength: 2 }),
    entries: fc.option(fc.array(entry, { maxLength: 3 }), { nil: undefined }),
    extensions: fc.subarray(listExtensions),
  })
  .map(({ version, method, issuer, entries, extensions, ...rest }) => {
    const list = entries === undefined ? [] : [of(0x30, ...entries)];
    const more = extensions.length === 0 ? [] : [of(0xa0, of(0x30, ...extensions))];
    const inner = of(0x30, ...version, method, issuer, ...rest.times, ...list, ...more);
    return of(0x30, inner, method, plain(0x03, 0, 1, 2, 3));
  });

type Mutation = (element: Element) => Element;

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.nat(9).map(
    (at): Mutation =>
      (element) =>
        withChildren(element, (children) => children.toSpliced(at % (children.length || 1), 1)),
  ),
  fc.nat(9).map(
    (at): Mutation =>
      (element) =>
        withChildren(element, (children) => [...children, ...children.slice(at % (children.length || 1)).slice(0, 1)]),
  ),
  fc.constant<Mutation>((element) => ({ ...element, content: new Uint8Array() })),
  fc.constant<Mutation>((element) => ({ ...element, isPadded: true })),
  fc.constantFrom(0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x17, 0x18, 0x24, 0x30, 0x31, 0x9f, 0xa0, 0xa1, 0).map(
    (tag): Mutation =>
      (element) => ({ ...element, tag }),
  ),
  fc.tuple(fc.nat(40), fc.constantFrom(0, 1, 0x20, 0x30, 0x39, 0x7f, 0x80, 0xff)).map(
    ([at, byte]): Mutation =>
      (element) => {
        const content = Buffer.from(contentOf(element));
        if (content.length > 0) content[at % content.length] = byte;
        return { ...element, content };
      },
  ),
  fc.constantFrom(0, 0x80, 0xff).map(
    (byte): Mutation =>
      (element) => ({ ...element, content: Buffer.from([byte, ...contentOf(element)]) }),
  ),
  fc.constant<Mutation>((element) => ({ ...element, content: Buffer.from([...contentOf(element), 0]) })),
);

/** Lists of revoked certificates in DER: a few are valid, and most differ from a valid one in one place or two. */
export const revocationLists: fc.Arbitrary<Uint8Array> = fc
  .record({
    list: validList,
    changes: fc.array(fc.tuple(fc.nat(60), mutation), { maxLength: 2 }),
  })
  .map(({ list, changes }) => encode(changes.reduce((each, [at, change]) => changeAt(each, at, change), list)));

/** Changes the element with this number, counted from the root; the root itself if there are not that many. */
function changeAt(root: Element, at: number, change: Mutation): Element {
  const size = sizeOf(root);
  let left = at % size;
  const visit = (element: Element): Element => {
    if (left-- === 0) return change(element);
    return withChildren(element, (children) => children.map((child) => (left < 0 ? child : visit(child))));
  };
  return visit(root);
}

function sizeOf({ content }: Element): number {
  return content instanceof Uint8Array ? 1 : content.reduce((sum, child) => sum + sizeOf(child), 1);
}

function withChildren(element: Element, change: (children: readonly Element[]) => readonly Element[]): Element {
  const { content } = element;
  return content instanceof Uint8Array ? element : { ...element, content: change(content) };
}

function contentOf({ content }: Element): Uint8Array {
  return content instanceof Uint8Array ? content : Buffer.concat(content.map(encode));
}

function encode(element: Element): Uint8Array {
  const content = contentOf(element);
  const { length } = content;
  const long = length > 0xff || element.isPadded ? [0x82, length >> 8, length & 0xff] : [0x81, length];
  const header = length < 0x80 && !element.isPadded ? [length] : long;
  return Buffer.concat([Uint8Array.from([element.tag, ...header]), content]);
}
