import type { DescFile, DescMessage } from "@bufbuild/protobuf";

/** Proto files by name, and by every symbol that they define. Imported files are included. */
export class ProtoFiles {
  readonly #byName = new Map<string, DescFile>();
  readonly #bySymbol = new Map<string, DescFile>();

  constructor(files: Iterable<DescFile>) {
    for (const file of files) this.#add(file);
  }

  file(name: string): DescFile | undefined {
    return this.#byName.get(name);
  }

  /** The file that defines a message, an enum, an extension, a service or a method, by its full name. */
  fileOf(symbol: string): DescFile | undefined {
    return this.#bySymbol.get(symbol);
  }

  #add(file: DescFile): void {
    // The descriptor drops the extension from the name; importers keep it.
    const name = file.proto.name;
    if (this.#byName.has(name)) return;
    this.#byName.set(name, file);
    for (const symbol of symbolsIn(file)) this.#bySymbol.set(symbol, file);
    for (const dependency of file.dependencies) this.#add(dependency);
  }
}

function* symbolsIn({ messages, enums, extensions, services }: DescFile): Iterable<string> {
  for (const message of messages) yield* symbolsOf(message);
  for (const each of [...enums, ...extensions]) yield each.typeName;
  for (const service of services) {
    yield service.typeName;
    for (const method of service.methods) yield `${service.typeName}.${method.name}`;
  }
}

function* symbolsOf(message: DescMessage): Iterable<string> {
  yield message.typeName;
  for (const nested of message.nestedMessages) yield* symbolsOf(nested);
  for (const each of [...message.nestedEnums, ...message.nestedExtensions]) yield each.typeName;
}
