// Writes src/contract.ts: the contract as types, by openapi-typescript. Enumerated values become open: new ones may come,
// and a program that has read its types must not take them for impossible.
import { writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const { factory } = ts;
const open = (values) => factory.createUnionTypeNode([
  ...values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value))),
  factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword), factory.createTypeLiteralNode([]),
  ]),
]);
const nodes = await openapiTS(new URL('../../internal/api/openapi.yaml', import.meta.url), {
  transform(schema) {
    if (schema.type !== 'string' || !schema.enum) return undefined;
    const type = open(schema.enum.filter((value) => value !== null));
    return schema.nullable ? factory.createUnionTypeNode([type, factory.createLiteralTypeNode(factory.createNull())]) : type;
  },
});
await writeFile(new URL('src/contract.ts', import.meta.url), astToString(nodes));
