package dev.tandem.prefill;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The prefill service. */
@SpringBootApplication(scanBasePackages = {"dev.tandem.prefill", "dev.tandem.openai"})
public class PrefillApplication {

    public static void main(String[] args) {
        SpringApplication.run(PrefillApplication.class, args);
    }
}
