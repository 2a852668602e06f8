package dev.tandem.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * What the command line asks.
 *
 * @param talk whether to send a prompt, or only to start the services
 * @param once whether to stop the services afterwards
 */
record DemoOptions(
        boolean talk, boolean once, String prompt, int maxTokens, List<String> prefillArgs, List<String> decodeArgs) {

    static final String USAGE =
            "usage: demo|up [--once] [--prompt TEXT] [--max-tokens N] [--prefill-arg=ARG] [--decode-arg=ARG]";

    /** @throws IllegalArgumentException naming the argument that is not understood */
    static DemoOptions parse(String[] args) {
        if (args.length == 0 || !List.of("demo", "up").contains(args[0])) {
            throw new IllegalArgumentException(USAGE);
        }
        boolean once = false;
        String prompt = "Call me Ishmael. Some years ago";
        int maxTokens = 96;
        var prefillArgs = new ArrayList<String>();
        var decodeArgs = new ArrayList<String>();
        for (int i = 1; i < args.length; i++) {
            String arg = args[i];
            String value = arg.substring(arg.indexOf('=') + 1);
            if (arg.equals("--once")) {
                once = true;
            } else if (arg.startsWith("--prefill-arg=")) {
                prefillArgs.add(value);
            } else if (arg.startsWith("--decode-arg=")) {
                decodeArgs.add(value);
            } else if (arg.equals("--prompt") && i + 1 < args.length) {
                prompt = args[++i];
            } else if (arg.equals("--max-tokens") && i + 1 < args.length) {
                maxTokens = number(args[++i]);
            } else {
                throw new IllegalArgumentException("%s is not understood; %s".formatted(arg, USAGE));
            }
        }
        return new DemoOptions(args[0].equals("demo"), once, prompt, maxTokens, prefillArgs, decodeArgs);
    }

    private static int number(String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--max-tokens: %s is not a number".formatted(value), e);
        }
    }
}
