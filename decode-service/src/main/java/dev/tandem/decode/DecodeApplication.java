package dev.tandem.decode;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The decode service. */
@SpringBootApplication(scanBasePackages = {"dev.tandem.decode", "dev.tandem.openai"})
public class DecodeApplication {

    public static void main(String[] args) {
        SpringApplication.run(DecodeApplication.class, args);
    }
}
