// Type-aware linting for the product and its tests; plain rules for the programs around it.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "native/", "target/", "node_modules/", "bench/.peers/", "**/*.cjs"] },
  {
    files: ["src/**/*.ts", "test/**/*.ts", "examples/**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-console": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // `const { left: _left, ...rest }` is how a property is left out.
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      // `T[]` for short element types, `Array<...>` for long ones reads best.
      "@typescript-eslint/array-type": ["error", { default: "array-simple" }],
    },
  },
  {
    files: ["src/**/*.ts"],
    ignores: ["src/cli/environment.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        {
          object: "process",
          property: "env",
          message: "Configuration is read in one place, src/cli/environment.ts.",
        },
      ],
    },
  },
  {
    files: ["**/*.mjs", "**/*.js"],
    extends: [tseslint.configs.recommended],
  },
);
