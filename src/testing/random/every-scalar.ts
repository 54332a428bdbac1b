import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

const types = Object.values(Type).filter(
  (type): type is Type => typeof type === "number" && ![Type.MESSAGE, Type.GROUP, Type.ENUM].includes(type),
);
const noMapKeys: ReadonlySet<Type> = new Set([Type.DOUBLE, Type.FLOAT, Type.BYTES]);

function field(name: string, number: number, type: Type, label: Label, packed?: boolean) {
  return create(FieldDescriptorProtoSchema, {
    name,
    number,
    type,
    label,
    ...(packed === undefined ? {} : { options: { packed } }),
  });
}

/** The hidden message behind `map<type, type>`. */
function mapEntry(type: Type): DescriptorProto {
  return create(DescriptorProtoSchema, {
    name: `Map${type}Entry`,
    field: [field("key", 1, type, Label.OPTIONAL), field("value", 2, type, Label.OPTIONAL)],
    options: { mapEntry: true },
  });
}

function map(type: Type) {
  return create(FieldDescriptorProtoSchema, {
    name: `map${type}`,
    number: 60 + type,
    type: Type.MESSAGE,
    label: Label.REPEATED,
    typeName: `.test.EveryScalar.Map${type}Entry`,
  });
}

const mapKeys = types.filter((type) => !noMapKeys.has(type));
const file = create(FileDescriptorProtoSchema, {
  name: "test.proto",
  package: "test",
  syntax: "proto3",
  messageType: [
    {
      name: "EveryScalar",
      field: [
        ...types.map((type) => field(`one${type}`, type, type, Label.OPTIONAL)),
        ...types.map((type) => field(`packed${type}`, 20 + type, type, Label.REPEATED)),
        ...types.map((type) => field(`unpacked${type}`, 40 + type, type, Label.REPEATED, false)),
        ...mapKeys.map(map),
      ],
      nestedType: mapKeys.map(mapEntry),
    },
  ],
});

function messageIn(registry: ReturnType<typeof createFileRegistry>, typeName: string): DescMessage {
  const found = registry.getMessage(typeName);
  if (found === undefined) throw new Error(`${typeName} is not in the registry`);
  return found;
}

/** `test.EveryScalar`: each scalar type alone, repeated (packed and not) and in a map, whether or not a real proto uses it. */
export const everyScalarSchema = messageIn(
  createFileRegistry(file, () => undefined),
  "test.EveryScalar",
);
