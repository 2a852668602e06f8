package dev.tandem.transfer.channel;

/**
 * A region of the other side, valid for the connection that imported it.
 *
 * @param id the region's id on the other side
 * @param index position in the other side's order of registration, from 0
 * @param address where it begins in the other side's address space; 0 where the fabric does not address memory that way
 * @param bytes its size
 */
public record RemoteRegion(String id, int index, long address, long bytes) {}
